import { expect, test } from 'vitest'
import { commandBench } from '../../test/operator.ts'
import { commands } from './commands.ts'

const { admin, refused, run, database, account } = await commandBench('recorded_commands')

async function lines(): Promise<unknown[]> {
  const { rows } = await database.pool.query(
    'select action, account_id::text as account, user_name as user, address, detail from audit_event order by id',
  )
  return rows
}
const by = { user: 'coffer-admin', address: 'local' }

/** Expects the one line that a command writes, and returns what it prints. */
async function writes(args: string[], action: string, detail: object, of: string | null = account) {
  const before = (await lines()).length
  const printed = await admin(...args)
  expect((await lines()).slice(before)).toEqual([{ action, account: of, ...by, detail }])
  return printed
}

test('an account is made', async () => {
  expect(await lines()).toEqual([
    {
      ...{ action: 'created an account', account, ...by },
      detail: { name: 'acme', plan: 'FREE', entitlements: ['portfolio'], credits: 5 },
    },
  ])
})

test('accounts, credits and keys, as the portal writes it; a key is in no line', async () => {
  const update = ['account', 'update', account, '--plan', 'PRO', '--bundle-quota', '9']
  await writes(update, 'changed an account', { id: account, plan: 'PRO', bundleQuota: '9' })
  const gift = ['credits', 'grant', '--account', account, '--amount', '7', '--reference', 'invoice 17']
  await writes(gift, 'gave credits', { amount: 7, reference: 'invoice 17' })
  const before = await lines()
  await admin(...gift)
  expect(await lines()).toEqual(before)
  const create = ['key', 'create', '--account', account, '--name', 'laptop']
  const { id, key } = await writes(create, 'created a key', { id: expect.any(String), name: 'laptop' })
  expect((await lines()).at(-1)).toMatchObject({ detail: { id } })
  await writes(['key', 'revoke', id], 'revoked a key', { id })
  expect(JSON.stringify(await lines())).not.toContain(key)
})

test('virtual users', async () => {
  const create = ['virtual-user', 'create', '--account', account, '--type', 'BALANCE', '--label', 'vault']
  const made = { id: expect.any(String), type: 'BALANCE', label: 'vault' }
  const { id } = await writes(create, 'created a virtual user', made)
  expect((await lines()).at(-1)).toMatchObject({ detail: { id } })
  const rename = ['virtual-user', 'rename', `virtual:${id}`, '--label', 'safe']
  await writes(rename, 'renamed a virtual user', { id, label: 'safe' })
  const balance = ['--symbol', 'EUR', '--price-source', 'fixed:1.1', '--amount', '1000']
  const set = { id, symbol: 'EUR', priceSource: 'fixed:1.1', amount: '1000' }
  await writes(['virtual-user', 'set-balance', id, ...balance], 'set balances of a virtual user', set)
  await writes(['virtual-user', 'remove', id], 'removed a virtual user', { id })
})

test('addresses, what was read, and secrets', async () => {
  const address = '0x00000000000000000000000000000000000000a1'
  const save = `insert into address_book_entry (account_id, address, label) values ($1, $2, '')`
  await database.pool.query(save, [account, address])
  const own = ['--account', account, '--address', address]
  const set = ['address', 'set', ...own, '--owner-authorized', 'true']
  await writes(set, 'changed an address', { address, ownerAuthorized: 'true' })
  await writes(['address', 'remove', ...own], 'removed an address', expect.objectContaining({ address }))
  await writes(['wallet', 'forget', address], 'forgot the stored reads of a wallet', { id: address }, null)
  await writes(['chain', 'forget', 'ethereum'], 'forgot the stored reads of a chain', { id: 'ethereum' }, null)
  await writes(['secrets', 'rotate'], 'rotated secrets', expect.anything(), null)
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
    ...['account list', 'address challenge', 'backup create', 'backup verify', 'credits ledger', 'credits verify'],
    ...['doctor', 'key list', 'pnl lots'],
    ...['pnl sums', 'portal invitations', 'portal users', 'price why', 'snapshot list', 'sync status'],
    ...['virtual-user list', 'virtual-user sync', 'watch list', 'webhook deliveries', 'webhook list'],
  ])
})
