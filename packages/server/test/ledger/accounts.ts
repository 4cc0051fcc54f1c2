import type { Kysely } from 'kysely'
import type { Tables } from '../../src/db/tables.ts'
import { createAccount } from '../../src/features/accounts/accounts.ts'

export async function accountWith(db: Kysely<Tables>, credits: number): Promise<string> {
  const { id } = await createAccount(db, { name: 'test', plan: 'PRO', entitlements: [], credits })
  return id
}
