import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../db/tables.ts'

const WALLETS_AT_ONCE = 500

/**
 * Folds changes seen by every accounting run into the last one, which keeps their earliest moment. A run begun earlier
 * and stored later then still goes back far enough.
 */
export function createPruneChanges(db: Kysely<Tables>) {
  return async function pruneChanges(signal: AbortSignal): Promise<void> {
    for (let after: string | null = ''; after !== null; ) {
      signal.throwIfAborted()
      const { rows }: { rows: { last: string | null }[] } = await sql<{ last: string | null }>`
        with page as (
          select wallet from history_change where wallet > ${after}
          group by wallet having count(*) > 1 order by wallet limit ${WALLETS_AT_ONCE}
        ), seen as (
          select split_part(key, ' ', 1) as wallet, min(value::bigint) as id from accounting, jsonb_each_text(seen)
          where split_part(key, ' ', 1) in (select wallet from page) group by 1
        ), settled as (
          select wallet, max(change.id) as id, min(since) as since
          from history_change as change join page using (wallet) left join seen using (wallet)
          where change.id <= coalesce(seen.id, change.id)
          group by wallet having count(*) > 1
        ), folded as (
          update history_change as change set since = settled.since from settled where change.id = settled.id
        ), gone as (
          delete from history_change as change using settled
          where change.wallet = settled.wallet and change.id < settled.id
        )
        select max(wallet) as last from page`.execute(db)
      after = rows[0]?.last ?? null
    }
  }
}
