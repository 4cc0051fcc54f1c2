import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { type Operator, operator } from '../../test/operator.ts'

const WALLET = `0x${'ab'.repeat(20)}`
const YEAR = ['--from', '2026-01-01', '--to', '2027-01-01']

let database: Awaited<ReturnType<typeof testDatabase>>
let { admin, refused }: Operator = operator({})
let account: string

beforeAll(async () => {
  database = await testDatabase('pnl_commands')
  // Nothing listens there: no command of this file reaches a node.
  const env = { COFFER_CHAINS: 'ethereum', COFFER_RPC_ETHEREUM: 'http://127.0.0.1:9' }
  ;({ admin, refused } = operator(env, database))
  account = (await admin('account', 'create', '--name', 'Books')).id
})
afterAll(() => database.drop())

test.each([
  [
    'a wallet whose history is not whole',
    () => ['--account', account, '--address', WALLET, ...YEAR],
    /not all searched/,
  ],
  ['no account', () => ['--account', '999', '--address', WALLET, ...YEAR], /There is no account 999/],
  [
    'days in the wrong order',
    () => ['--account', account, '--address', WALLET, '--from', '2027-01-01', '--to', '2027-01-01'],
    /--to is not after --from/,
  ],
  [
    'no day',
    () => ['--account', account, '--address', WALLET, '--from', '2026-02-30', '--to', '2027-01-01'],
    /^--from/,
  ],
] as const)('%s is refused', async (_, args, why) => {
  expect(await refused(['pnl', 'sums', ...args()])).toMatch(why)
  expect(await refused(['pnl', 'lots', '--method', 'FIFO', ...args()])).toMatch(why)
})

test('a method that is none is refused', async () => {
  const args = ['--account', account, '--address', WALLET, ...YEAR]
  expect(await refused(['pnl', 'lots', '--method', 'first', ...args])).toMatch(/^--method must be one of AVG, FIFO/)
})
