import { Failure } from '@coffer/contract'
import { type Kysely, sql, type Transaction } from 'kysely'
import pg from 'pg'
import type { Tables } from '../../db/tables.ts'
import { isDatabaseUnavailable } from '../../db/unavailable.ts'
import { lockAccount } from './account-lock.ts'
import { type Credits, chargeInTransaction, overloaded } from './credits.ts'

/**
 * The paying call: its caller, its cost (a function if that depends on the account's data, called under its lock), and
 * its unique id.
 */
type Call = {
  caller: { accountId: string }
  cost: number | ((trx: Transaction<Tables>, accountId: string) => Promise<number>)
  requestId: string
  /** What the ledger's line says that it was for; `change` unless said. */
  purpose?: 'change' | 'sync' | 'snapshots'
  /** Learns what was taken. */
  taken?: { credits: number } | undefined
}

/** The charge of the call. `giveBack`: for a call that succeeds, and turned out to cost nothing. */
type Charge = { giveBack(): Promise<void> }

export type PaidChanges = ReturnType<typeof createPaidChanges>

/**
 * Changes of an account's own data, paid for in the transaction that makes them: both are committed or neither. The
 * charge takes the account's lock first, which keeps the account's other changes out until the end.
 * INSUFFICIENT_CREDITS comes before the change runs. A failed change leaves only its charge and its refund; without the
 * database the call is OVERLOADED.
 */
export function createPaidChanges({ db, credits }: { db: Kysely<Tables>; credits: Pick<Credits, 'giveBackLater'> }) {
  return async <T>(
    { caller: { accountId }, cost, requestId, purpose = 'change', taken }: Call,
    change: (trx: Transaction<Tables>, accountId: string, charge: Charge) => Promise<T>,
  ): Promise<T> => {
    const key = `${purpose}:${requestId}`
    const ended = await db
      .transaction()
      .execute(async (trx) => {
        const price = typeof cost === 'number' ? cost : await priceUnderLock(trx, accountId, cost)
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

async function refund(trx: Transaction<Tables>, key: string): Promise<void> {
  await sql`select credit_give_back(${[key]})`.execute(trx)
}

async function priceUnderLock(
  trx: Transaction<Tables>,
  accountId: string,
  cost: Exclude<Call['cost'], number>,
): Promise<number> {
  await lockAccount(trx, accountId)
  return cost(trx, accountId)
}

/** Undoes and refunds the change. Rejects when the connection is lost, which undoes everything. */
async function undo(trx: Transaction<Tables>, key: string, thrown: unknown): Promise<{ failure: unknown }> {
  await sql`rollback to savepoint change`.execute(trx)
  await refund(trx, key)
  const isPassing = thrown instanceof pg.DatabaseError && isDatabaseUnavailable(thrown)
  return { failure: isPassing ? overloaded(thrown) : thrown }
}
