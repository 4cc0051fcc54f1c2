import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { createKey, type NewKey } from '../keys/keys.ts'
import type { Peppers } from '../keys/peppers.ts'
import { insertAccount } from './accounts.ts'

const ownerCredits = 1_000_000

/** The key is never shown again. The lock lets only one of several starting processes create the account. */
export async function bootstrapOwner(db: Kysely<Tables>, peppers: Peppers): Promise<NewKey | undefined> {
  return db.transaction().execute(async (trx) => {
    await sql`lock table account in share row exclusive mode`.execute(trx)
    const anybody = await trx.selectFrom('account').select('id').limit(1).executeTakeFirst()
    if (anybody) return undefined
    const { id } = await insertAccount(trx, {
      name: 'owner',
      plan: 'PRO',
      entitlements: ['portfolio', 'beacon'],
      credits: ownerCredits,
    })
    return createKey(trx, peppers, { accountId: id, name: 'owner' })
  })
}
