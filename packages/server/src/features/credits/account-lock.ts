import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'

/**
 * Runs a transaction under the account's lock, which paid changes (`PaidChanges`) take too: what it checks still holds
 * when it writes. Charges nothing.
 */
export async function withAccountLock<T>(
  db: Kysely<Tables>,
  accountId: string,
  work: (trx: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await lockAccount(trx, accountId)
    return work(trx)
  })
}

/** Takes the account's lock until the transaction ends. */
export async function lockAccount(trx: Transaction<Tables>, accountId: string): Promise<void> {
  await sql`select credit_lock(array[${BigInt(accountId)}::bigint])`.execute(trx)
}
