import { Failure } from '@coffer/contract'
import { expect, test } from 'vitest'
import { suiteDatabase } from '../../../test/database.ts'
import { openDatabase } from '../../db/database.ts'
import type { Gates } from '../../http/gates.ts'
import { systemClock } from '../../lib/clock.ts'
import { createAccount, updateAccount } from '../accounts/accounts.ts'
import { createCredits } from '../credits/credits.ts'
import { generateKey } from '../keys/key-format.ts'
import { createKeyRing } from '../keys/key-ring.ts'
import { createKey, type NewKey } from '../keys/keys.ts'
import { openPeppers, type Peppers } from '../keys/peppers.ts'
import { createRateLimits } from '../rate-limit/rate-limits.ts'
import { createGates } from './gates.ts'

const log = () => undefined
const database = await suiteDatabase('gates')
let peppers: Peppers
let key: NewKey

peppers = await openPeppers(database.db, [])
const { id } = await createAccount(database.db, { name: 'a', plan: 'PRO', entitlements: ['beacon'], credits: 2 })
await updateAccount(database.db, id, { rateLimits: { beacon: 200 } })
key = await createKey(database.db, peppers, { accountId: id, name: 'k' })

/** The return type checks that these gates fit the pipeline. */
function gatesOn({ db, pool }: Pick<typeof database, 'db' | 'pool'>): Gates {
  const keyRing = createKeyRing({ db, peppers, clock: { now: () => performance.now() }, log })
  return createGates(keyRing, createRateLimits({ pool, clock: systemClock, log }), createCredits({ pool, log }))
}

async function codeOf(call: () => unknown): Promise<string> {
  try {
    await call()
    return 'ok'
  } catch (error) {
    if (error instanceof Failure) return error.code
    throw error
  }
}

test('a valid key is its caller; everything else is unauthorized in the same words', async () => {
  const gates = gatesOn(database)
  expect(await gates.authenticate(`Bearer ${key.key}`)).toMatchObject({ accountId: key.accountId, plan: 'PRO' })
  const headers = [undefined, '', key.key, `Bearer ${key.key}x`, `Bearer ${generateKey()}`, `Basic ${key.key}`]
  for (const header of headers) {
    await expect((async () => gates.authenticate(header))()).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
      message: 'Unauthorized',
    })
  }
})

test('each bucket of a key and each address has its own window and limit', async () => {
  const gates = gatesOn(database)
  const caller = await gates.authenticate(`Bearer ${key.key}`)
  expect(await gates.limit(caller, 'default')).toMatchObject({ limit: 360, remaining: 359 })
  expect(await gates.limit(caller, 'portfolio')).toMatchObject({ limit: 360, remaining: 359 })
  expect(await gates.limit(caller, 'beacon')).toMatchObject({ limit: 200, remaining: 199 })
  expect(await gates.limitAnonymous('192.0.2.1')).toMatchObject({ limit: 60, remaining: 59 })
  expect(await gates.limitAnonymous('::ffff:192.0.2.1')).toMatchObject({ limit: 60, remaining: 58 })
  expect(await gates.limitAnonymous('192.0.2.2')).toMatchObject({ limit: 60, remaining: 59 })
  expect(await gates.limitAnonymous('192.0.2.1', 'file')).toMatchObject({ limit: 1_200, remaining: 1_199 })
})

test('callers by IPv6 are counted by their /64 network', async () => {
  const gates = gatesOn(database)
  expect(await gates.limitAnonymous('192.0.2.1', 'preflight')).toMatchObject({ limit: 1_200, remaining: 1_199 })
  expect(await gates.limitAnonymous('2001:db8:1:2::1')).toMatchObject({ remaining: 59 })
  expect(await gates.limitAnonymous('2001:db8:1:2:ffff::2')).toMatchObject({ remaining: 58 })
  expect(await gates.limitAnonymous('2001:db8:1:3::1')).toMatchObject({ remaining: 59 })
})

test('an account may send what three keys may, however many it has, and a refusal counts nowhere', async () => {
  const gates = gatesOn(database)
  const { id } = await createAccount(database.db, { name: 'many', plan: 'PRO', entitlements: [], credits: 0 })
  await updateAccount(database.db, id, { rateLimits: { default: 2 } })
  const callers: Awaited<ReturnType<typeof gates.authenticate>>[] = []
  for (let i = 0; i < 4; i += 1) {
    const { key } = await createKey(database.db, peppers, { accountId: id, name: `k${i}` })
    callers.push(await gates.authenticate(`Bearer ${key}`))
  }
  const take = async (i: number) => gates.limit(callers[i] as (typeof callers)[number], 'default')
  // Five of the account's six requests. The first key's own window refuses its third one.
  for (const i of [0, 0]) expect((await take(i)).allowed).toBe(true)
  expect(await take(0)).toMatchObject({ allowed: false, limit: 2 })
  for (const i of [1, 1, 2]) expect((await take(i)).allowed).toBe(true)
  expect(await take(3)).toMatchObject({ allowed: true, limit: 2, remaining: 1 })
  expect(await take(3)).toMatchObject({ allowed: false, limit: 6 })
  expect(await take(2)).toMatchObject({ allowed: false, limit: 6 })
})

test('credits are charged, held, given back and refused', async () => {
  const gates = gatesOn(database)
  const caller = await gates.authenticate(`Bearer ${key.key}`)
  await gates.charge(caller, 1, 'request 1')
  const hold = await gates.hold(caller, 1, 'request 2')
  expect(await codeOf(() => gates.charge(caller, 1, 'request 3'))).toBe('INSUFFICIENT_CREDITS')
  await hold.giveBack()
  await (await gates.hold(caller, 1, 'request 4')).post()
  expect(await codeOf(() => gates.hold(caller, 1, 'request 5'))).toBe('INSUFFICIENT_CREDITS')
})

test('without a database no key is called wrong and no credit is taken', async () => {
  const gone = openDatabase({ connection: 'postgres://127.0.0.1:1/none', poolMax: 1, log })
  const gates = gatesOn(gone)
  expect(await codeOf(() => gates.authenticate(`Bearer ${key.key}`))).toBe('OVERLOADED')
  expect(await codeOf(() => gates.authenticate('Bearer nonsense'))).toBe('UNAUTHORIZED')
  await gone.close()
})
