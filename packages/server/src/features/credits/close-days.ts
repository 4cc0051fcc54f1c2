import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Logger } from '../../lib/logger.ts'

/** Holds the account's lock for some tens of milliseconds. */
const LINES_AT_ONCE = 1_000

/**
 * Merges lines older than `days` whole UTC days into one per day, account and kind; balances stay the sums of the
 * lines. Returns the number merged.
 */
export function createCloseDays({ db, days, log }: { db: Kysely<Tables>; days: number; log: Pick<Logger, 'info'> }) {
  async function closeNext(accountId: bigint, after: bigint) {
    const { rows } = await sql<{ looked: bigint | null; closed: number }>`
      select looked, closed from credit_close_lines(${accountId}, ${after},
        date_trunc('day', coffer_now() at time zone 'UTC') at time zone 'UTC' - make_interval(days => ${days}),
        ${LINES_AT_ONCE})`.execute(db)
    const [row] = rows
    return row && row.looked !== null ? { looked: row.looked, closed: row.closed } : undefined
  }

  return async function closeDays(signal: AbortSignal): Promise<number> {
    let lines = 0
    for (const { account_id } of await db.selectFrom('credit_account').select('account_id').execute()) {
      for (let after: bigint | undefined = 0n; after !== undefined; ) {
        signal.throwIfAborted()
        const part = await closeNext(account_id, after)
        lines += part?.closed ?? 0
        after = part?.looked
      }
    }
    if (lines > 0) log.info({ lines, days }, 'replaced old lines of the credit ledger by one per day, account and kind')
    return lines
  }
}
