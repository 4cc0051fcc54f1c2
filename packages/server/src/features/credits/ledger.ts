import type { CreditsView, LedgerView } from '@coffer/contract/portal'
import { sql } from 'kysely'
import type { Db } from '../../db/tables.ts'
import { plainRow } from '../../lib/plain-row.ts'

const pageSize = 1000

/** Oldest first. */
export async function* ledgerLines(db: Db, accountId: string) {
  let after = 0n
  for (;;) {
    const rows = await db
      .selectFrom('credit_entry')
      .select(['id', 'at', 'kind', 'debit as from', 'credit as to', 'amount', 'charge_id as chargeId'])
      .select('source_key as reference')
      .where('account_id', '=', BigInt(accountId))
      .where('id', '>', after)
      .orderBy('id')
      .limit(pageSize)
      .execute()
    for (const row of rows) {
      yield { ...plainRow(row), amount: Number(row.amount) }
      after = row.id
    }
    if (rows.length < pageSize) return
  }
}

export async function findViolations(db: Db) {
  return db.selectFrom('credit_violation').selectAll().execute()
}

/** Basis of the forecast. */
const DAYS = 30
const LONGEST_DAYS = 36_500
/** Above every line. */
const LAST_ID = sql.lit(9_223_372_036_854_775_807n)

type Line = LedgerView['lines'][number]
type LineRow = {
  kind: Line['kind']
  id: bigint
  at: Date
  source_key: string
  source: string | null
  request: string | null
  change: bigint
  balance: bigint
}

/** Newest first, each with the balance after it. */
export async function viewLedger(
  db: Db,
  accountId: string,
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<LedgerView> {
  const account = BigInt(accountId)
  const { rows } = await sql<LineRow>`
    with page as (
      select id, at, kind, source_key, charge_id, available as change
      from credit_effect join credit_line using (account_id, id, at, kind, source_key)
      where account_id = ${account} and (${before ?? null}::bigint is null or id < ${before ?? null}::bigint)
      order by id desc limit ${limit + 1}
    ), newest as (
      select max(id) as id from page
    ), known as (
      select line_id, available from (
        (select line_id, available from credit_checkpoint, newest
          where account_id = ${account} and line_id >= newest.id order by line_id limit 1)
        union all select ${LAST_ID}, available from credit_total where account_id = ${account}
      ) as sums order by line_id limit 1
    ), now as (
      select known.available - coalesce(sum(line.available), 0) as balance
      from known cross join newest left join credit_effect as line
        on line.account_id = ${account} and line.id > newest.id and line.id <= known.line_id
      group by known.available
    )
    select page.id, page.at, page.kind, page.source_key, page.change, charge.source, charge.source_key as request,
      (now.balance - coalesce(sum(page.change) over (
        order by page.id desc rows between unbounded preceding and 1 preceding), 0))::bigint as balance
    from page cross join now left join credit_charge charge on charge.id = page.charge_id
    order by page.id desc`.execute(db)
  const lines = rows.slice(0, limit).map(lineOf)
  return { lines, next: rows.length > limit ? (lines.at(-1)?.id ?? null) : null }
}

function lineOf(row: LineRow): Line {
  const { id, at, kind } = row
  return { ...plainRow({ id, at, kind }), ...purposeOf(row), change: Number(row.change), balance: Number(row.balance) }
}

const BY_SOURCE: Readonly<Record<string, Line['purpose']>> = {
  request: 'request',
  sync_batch: 'sync',
  snapshot_term: 'snapshots',
}
const BY_KEY: Readonly<Record<string, Line['purpose']>> = {
  grant: 'grant',
  charge: 'request',
  change: 'change',
  sync: 'sync',
  snapshots: 'snapshots',
  closing: 'closing',
  close: 'request',
}

/** Keys: `grant:account:reference`, `charge:request:n`, `closing:account:day:kind`, … */
function purposeOf({ source_key, source, request }: LineRow) {
  if (source !== null) return { purpose: BY_SOURCE[source] ?? 'other', reference: request }
  const [name = '', first = '', ...rest] = source_key.replace(/^refund:/, '').split(':')
  const purpose = BY_KEY[name] ?? 'other'
  if (purpose === 'grant') return { purpose, reference: rest.join(':') }
  if (purpose === 'closing') return { purpose, reference: rest[0] ?? null }
  return { purpose, reference: name === 'close' || purpose === 'other' ? null : first }
}

export async function viewCredits(db: Db, accountId: string): Promise<CreditsView> {
  const account = BigInt(accountId)
  const since = sql`coffer_now() - make_interval(days => ${DAYS})`
  const { rows } = await sql<{ available: bigint; pending: bigint; perDay: string; lastsUntil: Date | null }>`
    with bound as (
      select coalesce(max(line_id), 0) as id, coalesce(max(spent), 0) as spent from (
        select line_id, spent from credit_checkpoint where account_id = ${account} and at <= ${since}
        order by at desc, line_id desc limit 1) as last
    ), next as (
      select line_id as id from credit_checkpoint, bound where account_id = ${account} and line_id > bound.id
      order by line_id limit 1
    ), spent as (
      select coalesce((select spent from credit_total where account_id = ${account}), 0) - bound.spent
        - coalesce((select sum(line.spent) from credit_effect as line
          where line.account_id = ${account} and line.id > bound.id
            and line.id <= coalesce((select id from next), ${LAST_ID}) and line.at <= ${since}), 0) as credits
      from bound
    ), days as (
      select greatest(1, least(${DAYS}, ceil(extract(epoch from coffer_now() - created_at) / 86400))) as number
      from account where id = ${account}
    )
    select available, pending, trim_scale(round(spent.credits / days.number, 6))::text as "perDay",
      case when spent.credits > 0 and available * days.number / spent.credits <= ${LONGEST_DAYS}
        then coffer_now() + make_interval(secs => (available * days.number * 86400 / spent.credits)::double precision) end
        as "lastsUntil"
    from credit_account cross join spent cross join days where account_id = ${account}`.execute(db)
  const [row] = rows
  if (!row) throw new Error('an account without credits')
  return { ...plainRow(row), available: Number(row.available), pending: Number(row.pending) }
}
