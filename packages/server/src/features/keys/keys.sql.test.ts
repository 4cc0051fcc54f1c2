import { expect, onTestFinished, test } from 'vitest'
import { suiteDatabase, testDatabase } from '../../../test/database.ts'
import { accountWith } from '../../../test/ledger/accounts.ts'
import { openDatabase } from '../../db/database.ts'
import { updateAccount } from '../accounts/accounts.ts'
import { generateKey } from './key-format.ts'
import { createKeyRing } from './key-ring.ts'
import { createKey, listKeys, revokeKey, rotateKey } from './keys.ts'
import { openPeppers } from './peppers.ts'

const database = await suiteDatabase('keys')
const peppers = await openPeppers(database.db, [])

async function newKey(accountId?: string) {
  const account = accountId ?? (await accountWith(database.db, 0))
  return createKey(database.db, peppers, { accountId: account, name: 'x' })
}

/** A ring with a manual clock and a count of its statements. */
function steeredRing() {
  const clock = { time: 1_000_000, now: () => clock.time }
  let queries = 0
  const counting = openDatabase({ connection: database.url, poolMax: 2, log: () => undefined })
  counting.pool.on('acquire', () => {
    queries += 1
  })
  const ring = createKeyRing({ db: counting.db, peppers, clock, log: () => undefined })
  onTestFinished(counting.close)
  return { ring, clock, queries: () => queries }
}

test('a key is found by its account, and what the account may use comes with it', async () => {
  const accountId = await accountWith(database.db, 0)
  const access = { plan: 'LITE', entitlements: ['beacon'], rateLimits: { portfolio: 1000 } } as const
  await updateAccount(database.db, accountId, access)
  const { id, key } = await newKey(accountId)
  const { ring } = steeredRing()
  expect(await ring.find(key)).toEqual({ accountId, keyId: id, ...access })
})

test('an unknown key and a malformed one are not found; the malformed one costs no query', async () => {
  const { ring, queries } = steeredRing()
  const unknown = generateKey()
  expect(await ring.find(unknown)).toBeUndefined()
  expect(queries()).toBe(1)
  expect(ring.find(`${unknown.slice(0, -1)}${unknown.endsWith('0') ? '1' : '0'}`)).toBeUndefined()
  expect(ring.find('')).toBeUndefined()
  expect(queries()).toBe(1)
})

test('a known key is found without a query, and a revoked one is refused within 5 s', async () => {
  const { id, key } = await newKey()
  const { ring, clock, queries } = steeredRing()
  await ring.find(key)
  await ring.drain()
  const before = queries()
  clock.time += 1_999
  expect(ring.find(key)).toMatchObject({ keyId: id })
  expect(queries()).toBe(before)
  await revokeKey(database.db, id)
  clock.time += 3_000
  expect(await ring.find(key)).toBeUndefined()
})

test('a key that this process revoked is refused at once, even by a lookup that began before', async () => {
  const { id, key } = await newKey()
  const { ring } = steeredRing()
  const before = ring.find(key)
  ring.refuse(id)
  expect(await before).toBeUndefined()
  expect(await ring.find(key)).toBeUndefined()
})

test('of a rotated key both are found until its hours of grace are over', async () => {
  const { id, key, accountId } = await newKey()
  const rotation = { id, accountId, graceHours: 1 }
  const renewed = await database.db.transaction().execute((trx) => rotateKey(trx, peppers, rotation))
  const found = async () => {
    const { ring } = steeredRing()
    const ids = [(await ring.find(key))?.keyId, (await ring.find(renewed?.key ?? ''))?.keyId]
    return ids
  }
  expect(await found()).toEqual([id, renewed?.id])
  // Simulates the end of the hour.
  await database.pool.query(`update api_key set revoked_at = revoked_at - interval '1 hour' where id = $1`, [id])
  expect(await found()).toEqual([undefined, renewed?.id])
})

test('a key in use is asked for again in the background', async () => {
  const { key, id } = await newKey()
  const { ring, clock } = steeredRing()
  await ring.find(key)
  await revokeKey(database.db, id)
  clock.time += 2_000
  expect(ring.find(key)).toMatchObject({ keyId: id })
  await ring.drain()
  expect(await ring.find(key)).toBeUndefined()
})

test('a thousand lookups at once share a few queries', async () => {
  const { key } = await newKey()
  const { ring, queries } = steeredRing()
  const found = await Promise.all(Array.from({ length: 999 }, (_, i) => ring.find(i % 3 === 0 ? key : generateKey())))
  expect(found.map((holder) => holder !== undefined)).toEqual(found.map((_, i) => i % 3 === 0))
  await ring.drain()
  expect(queries()).toBeLessThanOrEqual(4)
})

test('the last use is written with the first use and at most once a minute, over all processes', async () => {
  const { key, accountId } = await newKey()
  const lastUse = async () => (await listKeys(database.db, accountId))[0]?.lastUsedAt
  const [first, second] = [steeredRing(), steeredRing()]
  expect(await lastUse()).toBeNull()
  await first.ring.find(key)
  await first.ring.drain()
  const usedAt = await lastUse()
  expect(usedAt).toMatch(/^\d{4}-\d\d-\d\dT/)
  await second.ring.find(key)
  first.clock.time += 61_000
  await first.ring.find(key)
  await Promise.all([first.ring.drain(), second.ring.drain()])
  expect(await lastUse()).toBe(usedAt)
  const age = `update api_key set last_used_at = now() - interval '61 s' where account_id = $1`
  await database.pool.query(age, [accountId])
  first.clock.time += 61_000
  await first.ring.find(key)
  await first.ring.drain()
  expect(await lastUse()).not.toBe(usedAt)
})

test('keys are listed without their secret, in the order of their making', async () => {
  const accountId = await accountWith(database.db, 0)
  const one = await createKey(database.db, peppers, { accountId, name: 'one' })
  await createKey(database.db, peppers, { accountId, name: 'two' })
  await revokeKey(database.db, one.id)
  const revokedAt = (await revokeKey(database.db, one.id))?.revokedAt
  const list = await listKeys(database.db, accountId)
  expect(list.map(({ name }) => name)).toEqual(['one', 'two'])
  expect(list[0]).toMatchObject({ id: one.id, accountId, key: `coffer_…${one.key.slice(-4)}`, revokedAt })
  expect(list[1]).toMatchObject({ lastUsedAt: null, revokedAt: null })
  expect(await revokeKey(database.db, '999999999')).toBeUndefined()
  const { rows } = await database.pool.query('select api_key::text as row from api_key')
  expect(JSON.stringify(rows)).not.toContain(one.key.slice(7, 50))
})

test('processes that start together make one pepper; one from the environment goes first and must stay', async () => {
  const empty = await testDatabase('peppers')
  const opened = await Promise.all(Array.from({ length: 4 }, () => openPeppers(empty.db, [])))
  expect(opened.map((list) => list.map(({ version }) => version))).toEqual(Array(4).fill([opened[0]?.[0].version]))
  const accountId = await accountWith(empty.db, 0)
  const [made] = opened
  if (!made) throw new Error('no pepper')
  const old = await createKey(empty.db, made, { accountId, name: 'old' })
  const withOwn = await openPeppers(empty.db, ['a pepper of thirty-two characters'])
  const fresh = await createKey(empty.db, withOwn, { accountId, name: 'new' })
  const ring = createKeyRing({ db: empty.db, peppers: withOwn, clock: { now: () => 0 }, log: () => undefined })
  expect(await ring.find(old.key)).toMatchObject({ keyId: old.id })
  expect(await ring.find(fresh.key)).toMatchObject({ keyId: fresh.id })
  const without = createKeyRing({ db: empty.db, peppers: made, clock: { now: () => 0 }, log: () => undefined })
  expect(await without.find(fresh.key)).toBeUndefined()
  await expect(openPeppers(empty.db, [])).rejects.toThrow('COFFER_KEY_PEPPER')
  await Promise.all([ring.drain(), without.drain()])
  await empty.drop()
})
