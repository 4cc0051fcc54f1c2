import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/tables.ts'
import type { Logger } from '../../lib/logger.ts'

/** Holds the account's lock for some tens of milliseconds. */
const LINES_AT_ONCE = 1_000

/** `looked`: the last line; null after the end. */
type Part = { looked: bigint | null; closed: number }

const ACCOUNTS_AT_ONCE = 100

type Open = { account_id: bigint; open_since: Date }

/** Accounts with lines that may close, by the first of them. */
async function* openAccounts(db: Db, before: RawBuilder<unknown>) {
  for (let last: Open | undefined, isMore = true; isMore; ) {
    const place = last && sql`and (open_since, account_id) > (${last.open_since}, ${last.account_id})`
    const { rows }: { rows: Open[] } = await sql<Open>`
      select account_id, open_since from credit_total where open_since < ${before} ${place ?? sql``}
      order by open_since, account_id limit ${ACCOUNTS_AT_ONCE}`.execute(db)
    for (const { account_id } of rows) yield account_id
    last = rows.at(-1)
    isMore = rows.length === ACCOUNTS_AT_ONCE
  }
}

/** Merges lines older than `days` whole UTC days into one per day, account and kind. Returns the number merged. */
export async function closeDays(
  { db, days, log }: { db: Db; days: number; log: { info: Logger['info'] } },
  signal: AbortSignal,
): Promise<number> {
  const before = sql`date_trunc('day', coffer_now() at time zone 'UTC') at time zone 'UTC' - make_interval(days => ${days})`
  let lines = 0
  for await (const account of openAccounts(db, before)) {
    for (let after: bigint | null = 0n; after !== null; ) {
      signal.throwIfAborted()
      const { rows }: { rows: Part[] } = await sql<Part>`
        select looked, closed from credit_close_lines(${account}, ${after}, ${before}, ${LINES_AT_ONCE})`.execute(db)
      lines += rows[0]?.closed ?? 0
      after = rows[0]?.looked ?? null
    }
  }
  if (lines > 0) log.info({ lines, days }, 'replaced old lines of the credit ledger by one per day, account and kind')
  return lines
}
