import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { type Operator, operator } from '../../test/operator.ts'
import { commands } from './admin-commands.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
let { admin, refused, run }: Operator = operator({})
let account: string

beforeAll(async () => {
  database = await testDatabase('recorded_commands')
  const chain = { COFFER_CHAINS: 'ethereum', COFFER_RPC_ETHEREUM: 'http://127.0.0.1:9' }
  ;({ admin, refused, run } = operator({ COFFER_MASTER_KEY: '7f'.repeat(32), ...chain }, database))
  account = (await admin('account', 'create', '--name', 'acme', '--credits', '5')).id
})
afterAll(() => database.drop())

async function lines(): Promise<unknown[]> {
  const { rows } = await database.pool.query(
    'select action, account_id::text as account, user_name as user, address, detail from audit_event order by id',
  )
  return rows
}
async function linesOf(...args: string[]): Promise<unknown[]> {
  const before = (await lines()).length
  await admin(...args)
  return (await lines()).slice(before)
}
const by = { user: 'coffer-admin', address: 'local' }

test('an account is made', async () => {
  expect(await lines()).toEqual([
    {
      ...{ action: 'created an account', account, ...by },
      detail: { name: 'acme', plan: 'FREE', entitlements: ['portfolio'], credits: 5 },
    },
  ])
})

test('accounts, credits and keys, as the portal writes it; a key is in no line', async () => {
  expect(await linesOf('account', 'update', account, '--plan', 'PRO', '--bundle-quota', '9')).toEqual([
    { action: 'changed an account', account, ...by, detail: { id: account, plan: 'PRO', bundleQuota: '9' } },
  ])
  const gift = ['credits', 'grant', '--account', account, '--amount', '7', '--reference', 'invoice 17']
  expect(await linesOf(...gift)).toEqual([
    { action: 'gave credits', account, ...by, detail: { amount: 7, reference: 'invoice 17' } },
  ])
  expect(await linesOf(...gift)).toEqual([])
  const { id, key } = await admin('key', 'create', '--account', account, '--name', 'laptop')
  expect((await lines()).at(-1)).toEqual({ action: 'created a key', account, ...by, detail: { id, name: 'laptop' } })
  expect(await linesOf('key', 'revoke', id)).toEqual([{ action: 'revoked a key', account, ...by, detail: { id } }])
  expect(JSON.stringify(await lines())).not.toContain(key)
})

test('virtual users', async () => {
  const user = ['--type', 'BALANCE', '--label', 'vault']
  const { id } = await admin('virtual-user', 'create', '--account', account, ...user)
  expect((await lines()).at(-1)).toEqual({
    ...{ action: 'created a virtual user', account, ...by },
    detail: { id, type: 'BALANCE', label: 'vault' },
  })
  expect(await linesOf('virtual-user', 'rename', `virtual:${id}`, '--label', 'safe')).toEqual([
    { action: 'renamed a virtual user', account, ...by, detail: { id, label: 'safe' } },
  ])
  const balance = ['--symbol', 'EUR', '--price-source', 'fixed:1.1', '--amount', '1000']
  expect(await linesOf('virtual-user', 'set-balance', id, ...balance)).toEqual([
    {
      ...{ action: 'set balances of a virtual user', account, ...by },
      detail: { id, symbol: 'EUR', priceSource: 'fixed:1.1', amount: '1000' },
    },
  ])
  expect(await linesOf('virtual-user', 'remove', id)).toEqual([
    { action: 'removed a virtual user', account, ...by, detail: { id } },
  ])
})

test('addresses, what was read, and secrets', async () => {
  const address = '0x00000000000000000000000000000000000000a1'
  await database.pool.query(`insert into address_book_entry (account_id, address, label) values ($1, $2, '')`, [
    account,
    address,
  ])
  expect(
    await linesOf('address', 'set', '--account', account, '--address', address, '--owner-authorized', 'true'),
  ).toEqual([{ action: 'changed an address', account, ...by, detail: { address, ownerAuthorized: 'true' } }])
  expect(await linesOf('address', 'remove', '--account', account, '--address', address)).toMatchObject([
    { action: 'removed an address', account, ...by },
  ])
  expect(await linesOf('wallet', 'forget', address)).toMatchObject([
    { action: 'forgot the stored reads of a wallet', account: null, ...by, detail: { id: address } },
  ])
  expect(await linesOf('chain', 'forget', 'ethereum')).toMatchObject([
    { action: 'forgot the stored reads of a chain', account: null, ...by, detail: { id: 'ethereum' } },
  ])
  expect(await linesOf('secrets', 'rotate')).toMatchObject([{ action: 'rotated secrets', account: null, ...by }])
})

test('what looks, and what is refused, writes nothing', async () => {
  const before = await lines()
  await admin('account', 'list')
  await admin('key', 'list')
  await admin('credits', 'ledger', '--account', account)
  await refused(['key', 'revoke', '999999'])
  await refused(['account', 'update', '999999', '--plan', 'PRO'])
  await run(['account', 'create', '--name', ''])
  expect(await lines()).toEqual(before)
})

test('every command says what it records', () => {
  const looking = Object.entries(commands).flatMap(([name, { records }]) => (records === null ? [name] : []))
  expect(looking.toSorted()).toEqual([
    'account list',
    'address challenge',
    'credits ledger',
    'credits verify',
    'doctor',
    'key list',
    'pnl lots',
    'pnl sums',
    'portal invitations',
    'portal users',
    'price why',
    'snapshot list',
    'sync status',
    'virtual-user list',
    'virtual-user sync',
    'watch list',
    'webhook deliveries',
    'webhook list',
  ])
})
