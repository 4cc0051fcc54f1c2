import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { addUsage, createUsageCounter, pruneUsage, viewUsage } from '../../src/features/usage/module.ts'
import { testDatabase } from '../database.ts'
import { startService } from '../harness.ts'
import { type OwnAccount, ownAccount } from '../own-data.ts'
import { started } from '../started.ts'
import { signedIn } from './portal-caller.ts'

const service = await started(startService({}))

/** Counts are written at the end of the service at the latest; here immediately. */
const flushed = () => service.context.usage.flush()

async function keyOf({ id }: OwnAccount): Promise<string> {
  const { rows } = await service.context.database.pool.query('select id::text from api_key where account_id = $1', [id])
  return rows[0].id
}

test('calls are counted by key, endpoint and how they ended, with what they took', async () => {
  const { db } = service.context.database
  const account = await ownAccount({ db, url: service.url }, { credits: 3 })
  const keyId = await keyOf(account)
  const viewer = await signedIn(service, { accountId: account.id, role: 'viewer' })
  const address = (last: string) => `0x${last.padStart(40, '0')}`
  const save = (last: string) =>
    account.call('POST', '/v1/addressbook', { entries: [{ address: address(last), label: 'x' }] })

  expect((await account.call('GET', '/v1/credits')).status).toBe(200)
  expect((await save('a1')).status).toBe(200)
  expect((await save('a2')).status).toBe(200)
  // Refused for its content, and for a missing entitlement of the account.
  expect((await account.call('POST', '/v1/addressbook', { entries: 'x' })).status).toBe(400)
  expect((await account.call('DELETE', `/v1/addressbook/${address('ff')}`)).status).toBe(404)
  expect((await account.call('GET', '/v1/beacon/validators/details/index/1')).status).toBe(403)
  expect((await save('a3')).status).toBe(200)
  expect((await save('a4')).status).toBe(402)
  await flushed()
  const { status, body } = await viewer.call('GET', `/accounts/${account.id}/usage?days=1`)
  expect(status).toBe(200)
  const today = new Date().toISOString().slice(0, 10)
  const line = (endpoint: string, outcome: string, requests: number, credits: number) => ({
    ...{ day: today, keyId, endpoint, outcome, requests, credits },
  })
  expect(body).toEqual({
    from: today,
    to: today,
    lines: expect.arrayContaining([
      line('getCredits', 'ok', 1, 0),
      line('addToAddressBook', 'ok', 3, 3),
      line('addToAddressBook', 'input', 1, 0),
      line('addToAddressBook', 'credits', 1, 0),
      line('removeFromAddressBook', 'input', 1, 0),
    ]),
    refused: [
      { outcome: 'access', requests: 1 },
      { outcome: 'credits', requests: 1 },
      { outcome: 'input', requests: 2 },
    ],
  })
  expect((body as { lines: unknown[] }).lines).toHaveLength(6)
})

test('what people look at is not counted, and other accounts do not see it', async () => {
  const { db } = service.context.database
  const account = await ownAccount({ db, url: service.url })
  const owner = await signedIn(service, { accountId: account.id, role: 'owner' })
  expect((await owner.call('GET', `/accounts/${account.id}/v1/credits`)).status).toBe(200)
  await flushed()
  expect((await owner.call('GET', `/accounts/${account.id}/usage`)).body).toMatchObject({ lines: [], refused: [] })
  expect((await owner.call('GET', `/accounts/${account.id}/usage?days=0`)).status).toBe(400)
  expect((await owner.call('GET', '/accounts/1/usage')).status).toBe(404)
})

/** With the account 1 and its key 1. */
async function databaseWithKey() {
  const { db, pool, drop } = await testDatabase('usage')
  onTestFinished(drop)
  await pool.query(`insert into account (name, plan, entitlements) values ('a', 'FREE', '{}')`)
  await pool.query(`insert into api_key_pepper (fingerprint, secret) values ('x', 'y')`)
  await pool.query(
    `insert into api_key (account_id, name, display, digest, pepper_version) values (1, 'k', 'k', 'd', 1)`,
  )
  return { db, pool }
}

test('what cannot be written is kept, and added once the database is back', async () => {
  const { db, pool } = await databaseWithKey()
  const warnings: unknown[] = []
  const counter = createUsageCounter({ db, log: { warn: (...args: unknown[]) => void warnings.push(args) } as never })
  const count = counter.route('getCredits')
  const caller = { accountId: '1', keyId: '1' } as never
  count(caller, 200, 2)
  await pool.query('alter table usage_day rename to away')
  await counter.flush()
  expect(warnings).toHaveLength(1)
  count(caller, 200, 3)
  await pool.query('alter table away rename to usage_day')
  await counter.flush()
  await counter.flush()
  expect((await viewUsage(db, '1', 1)).lines).toMatchObject([{ outcome: 'ok', requests: 2, credits: 5 }])
})

test('processes add to the same day; days are of UTC; old ones go', async () => {
  const { db } = await databaseWithKey()
  const of = (endpoint: string, requests: number) => ({
    ...{ accountId: '1', keyId: '1', endpoint, outcome: 'ok' as const, requests, credits: requests },
  })
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => addUsage(db, i % 2 ? [of('a', 1), of('b', 2)] : [of('b', 2), of('a', 1)])),
  )
  const totals = (await viewUsage(db, '1', 2)).lines.map(({ endpoint, requests }) => [endpoint, requests])
  expect(totals).toEqual([
    ['a', 20],
    ['b', 40],
  ])
  const at = (endpoint: string, moment: string) =>
    sql`
      insert into usage_day values (1, ${moment}::timestamptz at time zone 'UTC', 1, ${endpoint}, 'rate', 1, 0)`.execute(
      db,
    )
  const midnight = new Date(new Date().setUTCHours(0, 0, 0, 0))
  await at('yesterday', new Date(midnight.getTime() - 3_600_000).toISOString())
  await at('long ago', new Date(midnight.getTime() - 401 * 86_400_000).toISOString())
  const day = new Date(midnight.getTime() - 86_400_000).toISOString().slice(0, 10)
  expect((await viewUsage(db, '1', 2)).lines[0]).toMatchObject({ day, endpoint: 'yesterday', outcome: 'rate' })
  expect((await viewUsage(db, '1', 1)).lines).toHaveLength(2)
  await pruneUsage(db, 400)
  const { rows } =
    await sql`select distinct endpoint from usage_day where endpoint in ('yesterday', 'long ago')`.execute(db)
  expect(rows).toEqual([{ endpoint: 'yesterday' }])
})
