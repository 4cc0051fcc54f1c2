import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'

/**
 * Notes that a wallet's history is other than before from a moment on (Unix seconds), so that what follows from it is
 * worked out again from there. To be called last: the wallet's lock, held to the commit, keeps the notes in its order.
 */
export async function noteChange(trx: Transaction<Tables>, wallet: Address, since: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`history ${wallet}`}, 0))`.execute(trx)
  await trx
    .insertInto('history_change')
    .values({ wallet, since: new Date(since * 1000) })
    .execute()
}

/** By wallet the last change, as a decimal string; those without a history are absent. */
export async function lastChanges(db: Kysely<Tables>, wallets: readonly Address[]): Promise<Map<Address, string>> {
  const rows = await db
    .selectFrom('history_change')
    .select(['wallet', ({ fn }) => fn.max('id').as('last')])
    .where('wallet', 'in', wallets)
    .groupBy('wallet')
    .execute()
  return new Map(rows.map(({ wallet, last }) => [wallet, String(last)]))
}

/** The earliest moment (Unix seconds) that a change of a wallet after `seen` goes back to; undefined when there is none. */
export async function changedSince(db: Kysely<Tables>, wallet: Address, seen: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('history_change')
    .select(({ fn }) => fn.min('since').as('since'))
    .where('wallet', '=', wallet)
    .where('id', '>', BigInt(seen))
    .executeTakeFirst()
  return row?.since ? row.since.getTime() / 1000 : undefined
}
