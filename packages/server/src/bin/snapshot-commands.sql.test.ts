import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { type Operator, operator } from '../../test/operator.ts'

const SUBSCRIBED = `0x${'ab'.repeat(20)}`
const STRANGER = `0x${'cd'.repeat(20)}`

let database: Awaited<ReturnType<typeof testDatabase>>
let { admin, refused }: Operator = operator({})
let account: string

beforeAll(async () => {
  database = await testDatabase('snapshot_commands')
  // Nothing listens there: no command of this file reaches a node.
  const env = { COFFER_CHAINS: 'ethereum', COFFER_RPC_ETHEREUM: 'http://127.0.0.1:9' }
  ;({ admin, refused } = operator(env, database))
  account = (await admin('account', 'create', '--name', 'Subscriber')).id
  await database.pool.query(
    `create or replace function coffer_now() returns timestamptz language sql stable as $$ select timestamptz '2027-03-03T12:00:00Z' $$`,
  )
  await database.pool.query(
    `insert into snapshot_subscription (account_id, address, subscribed_at, expires_at, next_date)
     values ($1, $2, '2027-03-01T10:00:00Z', '2028-03-01T10:00:00Z', '2027-03-01')`,
    [account, SUBSCRIBED],
  )
})
afterAll(() => database.drop())

test('snapshot list tells every day since the subscription', async () => {
  const missing = (date: string) => ({ account, date, state: 'missing' })
  const days = ['2027-03-01', '2027-03-02', '2027-03-03'].map(missing)
  expect(await admin('snapshot', 'list', '--address', SUBSCRIBED)).toEqual(days)
  expect(await admin('snapshot', 'list', '--address', SUBSCRIBED, '--account', account)).toEqual(days)
})

test('a day that cannot be read is not taken, with the chain and the reason', async () => {
  const days = ['--from', '2027-03-01', '--to', '2027-03-02']
  await expect(admin('snapshot', 'backfill', '--address', SUBSCRIBED, ...days)).resolves.toEqual([
    { date: '2027-03-01', outcome: 'not taken', chain: 'ethereum', reason: 'unreadable' },
    { date: '2027-03-02', outcome: 'not taken', chain: 'ethereum', reason: 'unreadable' },
  ])
})

describe('refusals', () => {
  const from = (start: string, end: string) => ['--from', start, '--to', end]
  test.each([
    ['an address that is none', ['--address', '0x12', ...from('2027-03-01', '2027-03-02')], /^--address /],
    [
      'an address on Solana',
      ['--address', 'So11111111111111111111111111111111111111112', ...from('2027-03-01', '2027-03-02')],
      /^--address is on a chain whose nodes keep no past states/,
    ],
    ['no day', ['--address', SUBSCRIBED, ...from('2027-02-29', '2027-03-02')], /^--from must be a day/],
    [
      'days in the wrong order',
      ['--address', SUBSCRIBED, ...from('2027-03-02', '2027-03-01')],
      /^--from is after --to/,
    ],
    ['a day to come', ['--address', SUBSCRIBED, ...from('2027-03-01', '2027-03-04')], /^--to lies in the future/],
    ['an address that nobody subscribed', ['--address', STRANGER, ...from('2027-03-01', '2027-03-02')], /^No account /],
  ])('%s', async (_, args, sentence) => {
    expect(await refused(['snapshot', 'backfill', ...args])).toMatch(sentence)
  })
})
