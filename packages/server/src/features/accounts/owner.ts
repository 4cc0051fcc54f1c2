import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { createKey, type NewKey } from '../keys/keys.ts'
import type { Peppers } from '../keys/peppers.ts'
import { insertAccount } from './accounts.ts'

const ownerCredits = 1_000_000

/**
 * On an installation without any account: makes the account `owner`, which may use everything, and answers its API key,
 * which nothing shows again. Undefined when there is an account. Of processes that start together one makes it.
 */
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
