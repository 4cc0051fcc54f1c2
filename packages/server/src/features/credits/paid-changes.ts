import { Failure } from '@coffer/contract'
import { sql } from 'kysely'
import pg from 'pg'
import type { Db, Trx } from '../../db/tables.ts'
import { isDatabaseUnavailable } from '../../db/unavailable.ts'
import { type Credits, chargeInTransaction, overloaded } from './credits.ts'

/** A function `cost` runs under the account's lock. */
type Call = {
  caller: { accountId: string }
  cost: number | ((trx: Trx, accountId: string) => Promise<number>)
  requestId: string
  purpose?: 'change' | 'sync' | 'snapshots'
  taken?: { credits: number } | undefined
}

export type PaidChanges = ReturnType<typeof createPaidChanges>

/** Commits a change with its charge, or neither, under the account's lock. OVERLOADED without the database. */
export function createPaidChanges({ db, credits }: { db: Db; credits: Credits }) {
  return async <T>(
    { caller: { accountId }, cost, requestId, purpose = 'change', taken }: Call,
    /** `giveBack`: for a successful call that turned out to cost nothing. */
    change: (trx: Trx, accountId: string, charge: { giveBack(): Promise<void> }) => Promise<T>,
  ): Promise<T> => {
    const key = `${purpose}:${requestId}`
    const ended = await db
      .transaction()
      .execute(async (trx) => {
        if (typeof cost !== 'number') await lockAccount(trx, accountId)
        const price = typeof cost === 'number' ? cost : await cost(trx, accountId)
        if (price > 0) await chargeInTransaction(trx, accountId, price, key)
        await sql`savepoint change`.execute(trx)
        let credits = price
        const giveBack = async () => {
          await refund(trx, key)
          credits = 0
        }
        return change(trx, accountId, { giveBack }).then(
          (value) => ({ value, credits }),
          (thrown: unknown) => undo(trx, key, thrown),
        )
      })
      .catch((thrown: unknown) => {
        if (thrown instanceof Failure || !isDatabaseUnavailable(thrown)) throw thrown
        credits.giveBackLater({ key })
        throw overloaded(thrown)
      })
    if ('failure' in ended) throw ended.failure
    if (taken) taken.credits = ended.credits
    return ended.value
  }
}

async function refund(trx: Trx, key: string): Promise<void> {
  await sql`select credit_give_back(${[key]})`.execute(trx)
}

/** Rejects if the connection is lost, which undoes everything. */
async function undo(trx: Trx, key: string, thrown: unknown): Promise<{ failure: unknown }> {
  await sql`rollback to savepoint change`.execute(trx)
  await refund(trx, key)
  const isPassing = thrown instanceof pg.DatabaseError && isDatabaseUnavailable(thrown)
  return { failure: isPassing ? overloaded(thrown) : thrown }
}

/** Takes the lock of `PaidChanges`, so checks still hold at the write. Charges nothing. */
export async function withAccountLock<T>(db: Db, accountId: string, work: (trx: Trx) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await lockAccount(trx, accountId)
    return work(trx)
  })
}

async function lockAccount(trx: Trx, accountId: string): Promise<void> {
  await sql`select credit_lock(array[${BigInt(accountId)}::bigint])`.execute(trx)
}
