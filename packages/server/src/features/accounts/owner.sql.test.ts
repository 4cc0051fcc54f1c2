import { expect, test } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { openPeppers } from '../keys/peppers.ts'
import { bootstrapOwner, listAccounts } from './accounts.ts'

test('of processes that start together on an empty database, one makes the owner', async () => {
  const { db, drop } = await testDatabase('owner')
  const peppers = await openPeppers(db, [])
  const keys = await Promise.all(Array.from({ length: 5 }, () => bootstrapOwner(db, peppers)))
  expect(keys.filter((key) => key !== undefined)).toHaveLength(1)
  expect(await bootstrapOwner(db, peppers)).toBeUndefined()
  expect((await listAccounts(db, { limit: 50 })).accounts).toMatchObject([
    { name: 'owner', plan: 'PRO', entitlements: ['portfolio', 'beacon'], credits: 1_000_000 },
  ])
  await drop()
})
