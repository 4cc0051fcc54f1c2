import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'

/** Takes the lock of `PaidChanges`, so checks still hold at the write. Charges nothing. */
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

export async function lockAccount(trx: Transaction<Tables>, accountId: string): Promise<void> {
  await sql`select credit_lock(array[${BigInt(accountId)}::bigint])`.execute(trx)
}
