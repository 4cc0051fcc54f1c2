import { sql } from 'kysely'
import type { Db } from '../../db/tables.ts'
import type { Logger } from '../../lib/logger.ts'

/** Holds the account's lock for some tens of milliseconds. */
const LINES_AT_ONCE = 1_000

/** `looked`: the last line; null after the end. */
type Part = { looked: bigint | null; closed: number }

/** Merges lines older than `days` whole UTC days into one per day, account and kind. Returns the number merged. */
export async function closeDays(
  { db, days, log }: { db: Db; days: number; log: { info: Logger['info'] } },
  signal: AbortSignal,
): Promise<number> {
  let lines = 0
  for (const { account_id } of await db.selectFrom('credit_account').select('account_id').execute()) {
    for (let after: bigint | null = 0n; after !== null; ) {
      signal.throwIfAborted()
      const { rows }: { rows: Part[] } = await sql<Part>`
        select looked, closed from credit_close_lines(${account_id}, ${after},
          date_trunc('day', coffer_now() at time zone 'UTC') at time zone 'UTC' - make_interval(days => ${days}),
          ${LINES_AT_ONCE})`.execute(db)
      lines += rows[0]?.closed ?? 0
      after = rows[0]?.looked ?? null
    }
  }
  if (lines > 0) log.info({ lines, days }, 'replaced old lines of the credit ledger by one per day, account and kind')
  return lines
}
