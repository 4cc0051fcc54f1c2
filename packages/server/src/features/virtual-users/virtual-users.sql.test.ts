import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { createAccount } from '../accounts/accounts.ts'
import { createVirtualUser, findVirtualUsers, listVirtualUsers, renameVirtualUser } from './virtual-users.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
beforeAll(async () => {
  database = await testDatabase('virtual_users')
})
afterAll(() => database.drop())

async function newAccount(): Promise<string> {
  const { id } = await createAccount(database.db, { name: 'x', plan: 'PRO', entitlements: [], credits: 0 })
  return id
}

const labels = async (accountId: string) => (await listVirtualUsers(database.db, accountId)).map(({ label }) => label)

test('an account has its own virtual users, oldest first; one is renamed in its place', async () => {
  const { db } = database
  const [account, other] = [await newAccount(), await newAccount()]
  const vault = await createVirtualUser(db, { accountId: account, type: 'BALANCE', label: 'vault' })
  await createVirtualUser(db, { accountId: other, type: 'CEX', label: 'theirs' })
  await createVirtualUser(db, { accountId: account, type: 'CEX', label: 'vault' })
  expect(await labels(account)).toEqual(['vault', 'vault'])
  expect(vault).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    accountId: account,
    type: 'BALANCE',
    label: 'vault',
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  })
  expect(await renameVirtualUser(db, vault.id, 'cold storage')).toEqual({ ...vault, label: 'cold storage' })
  expect(await labels(account)).toEqual(['cold storage', 'vault'])
  expect(await labels(other)).toEqual(['theirs'])
  expect(await renameVirtualUser(db, '00000000-0000-4000-8000-000000000000', 'x')).toBeUndefined()
})

test('what is no id, an id in another spelling and an id of another account are all nobody', async () => {
  const { db } = database
  const [account, other] = [await newAccount(), await newAccount()]
  const mine = await createVirtualUser(db, { accountId: account, type: 'BALANCE', label: '' })
  const theirs = await createVirtualUser(db, { accountId: other, type: 'BALANCE', label: '' })
  const ids = [theirs.id, mine.id.toUpperCase(), 'x', "'; --", mine.id]
  expect(await findVirtualUsers(db, account, ids)).toEqual([mine])
})
