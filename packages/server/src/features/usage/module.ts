import type { UsageOutcome, UsageView } from '@coffer/contract/portal'
import { sql } from 'kysely'
import { inParts } from '../../db/in-parts.ts'
import type { Db } from '../../db/tables.ts'
import { compareText } from '../../lib/compare-text.ts'
import type { WarnLog } from '../../lib/logger.ts'
import type { Module, Ports } from '../module.ts'

const RETENTION = { name: 'usage-retention', options: { retryLimit: 0 }, everySeconds: 24 * 3_600 }
/** Longer than the year that the portal shows. */
const KEPT_DAYS = 400

export function usageModule({ database: { db, reads }, usage }: Ports & { usage: UsageCounter }) {
  return {
    portal: { getUsage: ({ caller, query }) => viewUsage(reads, caller.accountId, query.days) },
    jobs: [{ ...RETENTION, handler: () => pruneUsage(db, KEPT_DAYS) }],
    start: usage.start,
    close: usage.stop,
  } satisfies Module
}

const BY_STATUS: Readonly<Record<number, UsageOutcome>> = {
  401: 'access',
  402: 'credits',
  403: 'access',
  429: 'rate',
  503: 'busy',
}

const WRITE_MS = 5_000

type Count = { requests: number; credits: number }
type Line = { accountId: string; keyId: string; counts: Map<UsageOutcome, Count> }
type UsageRow = Omit<Line, 'counts'> & Count & { endpoint: string; outcome: UsageOutcome }

export type UsageCounter = ReturnType<typeof createUsageCounter>

/** Writes sums every five seconds, failed ones again. A killed process loses unwritten counts, but no credits. */
export function createUsageCounter({ db, log }: { db: Db; log: WarnLog }) {
  const endpoints = new Map<string, Map<string, Line>>()
  let writing = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  const route = (endpoint: string) => {
    const lines = new Map<string, Line>()
    endpoints.set(endpoint, lines)
    return ({ accountId, keyId }: { accountId: string; keyId: string }, status: number, credits: number): void => {
      const { counts } = lines.get(keyId) ?? beginLine(lines, accountId, keyId)
      add(counts, outcomeOf(status), 1, credits)
    }
  }

  function take(): UsageRow[] {
    return [...endpoints].flatMap(([endpoint, lines]) => {
      const taken = [...lines.values()]
      lines.clear()
      return taken.flatMap(({ counts, ...caller }) =>
        [...counts].map(([outcome, count]) => ({ ...caller, endpoint, outcome, ...count })),
      )
    })
  }

  async function write(): Promise<void> {
    const rows = take()
    if (rows.length === 0) return
    try {
      await addUsage(db, rows)
    } catch (err) {
      log.warn({ err }, 'the usage of API keys could not be stored; the service tries again')
      for (const { endpoint, accountId, keyId, outcome, requests, credits } of rows) {
        const lines = endpoints.get(endpoint)
        if (lines) add((lines.get(keyId) ?? beginLine(lines, accountId, keyId)).counts, outcome, requests, credits)
      }
    }
  }

  function flush(): Promise<void> {
    writing = writing.then(write)
    return writing
  }

  return {
    route,
    flush,
    start(): void {
      timer = setInterval(() => void flush(), WRITE_MS).unref()
    },
    stop(): Promise<void> {
      clearInterval(timer)
      return flush()
    },
  }
}

function beginLine(lines: Map<string, Line>, accountId: string, keyId: string): Line {
  const line: Line = { accountId, keyId, counts: new Map() }
  lines.set(keyId, line)
  return line
}

function add(counts: Line['counts'], outcome: UsageOutcome, requests: number, credits: number): void {
  const before = counts.get(outcome) ?? { requests: 0, credits: 0 }
  counts.set(outcome, { requests: before.requests + requests, credits: before.credits + credits })
}

function outcomeOf(status: number): UsageOutcome {
  if (status < 400) return 'ok'
  return BY_STATUS[status] ?? (status < 500 ? 'input' : 'failed')
}

const orderOf = ({ accountId, keyId, endpoint, outcome }: UsageRow) => `${accountId} ${keyId} ${endpoint} ${outcome}`

/** One order of rows in all processes prevents deadlocks. */
export async function addUsage(db: Db, rows: readonly UsageRow[]): Promise<void> {
  const sorted = rows.toSorted((a, b) => compareText(orderOf(a), orderOf(b)))
  const column = <K extends keyof UsageRow>(name: K) => sorted.map((row) => row[name])
  await sql`
    insert into usage_day (account_id, day, key_id, endpoint, outcome, requests, credits)
    select account_id, (coffer_now() at time zone 'UTC')::date, key_id, endpoint, outcome, requests, credits
    from unnest(
      ${column('accountId')}::bigint[], ${column('keyId')}::bigint[], ${column('endpoint')}::text[],
      ${column('outcome')}::text[], ${column('requests')}::bigint[], ${column('credits')}::bigint[]
    ) as counted (account_id, key_id, endpoint, outcome, requests, credits)
    on conflict (account_id, day, key_id, endpoint, outcome) do update
      set requests = usage_day.requests + excluded.requests, credits = usage_day.credits + excluded.credits`.execute(db)
}

export async function pruneUsage(db: Db, days: number): Promise<void> {
  await inParts((limit) =>
    sql`delete from usage_day where ctid = any (array(
      select ctid from usage_day where day < (coffer_now() at time zone 'UTC')::date - ${days}::integer limit ${limit}))`.execute(
      db,
    ),
  )
}

type DayRow = Omit<UsageView['lines'][number], 'requests' | 'credits'> & { requests: bigint; credits: bigint }

export async function viewUsage(db: Db, accountId: string, days: number): Promise<UsageView> {
  const today = sql`(coffer_now() at time zone 'UTC')::date`
  const first = sql`(${today} - ${days - 1}::integer)`
  const { rows } = await sql<DayRow>`
    select day::text, key_id::text as "keyId", endpoint, outcome, requests, credits
    from usage_day where account_id = ${BigInt(accountId)} and day >= ${first}
    order by usage_day.day, key_id, endpoint, outcome`.execute(db)
  const { rows: outcomes } = await sql<{ outcome: UsageOutcome; requests: bigint }>`
    select outcome, sum(requests)::bigint as requests
    from usage_day where account_id = ${BigInt(accountId)} and day >= ${first} and outcome <> 'ok'
    group by outcome order by outcome`.execute(db)
  const { rows: range } = await sql<{ from: string; to: string }>`
    select ${first}::text as "from", ${today}::text as "to"`.execute(db)
  const [{ from, to } = { from: '', to: '' }] = range
  return {
    from,
    to,
    lines: rows.map((row) => ({ ...row, requests: Number(row.requests), credits: Number(row.credits) })),
    refused: outcomes.map(({ outcome, requests }) => ({ outcome, requests: Number(requests) })),
  }
}
