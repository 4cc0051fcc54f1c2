import type { UsageOutcome, UsageView } from '@coffer/contract/portal'
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { compareText } from '../../lib/compare-text.ts'

export type UsageRow = {
  accountId: string
  keyId: string
  endpoint: string
  outcome: UsageOutcome
  requests: number
  credits: number
}

const orderOf = ({ accountId, keyId, endpoint, outcome }: UsageRow) => `${accountId} ${keyId} ${endpoint} ${outcome}`

/** One order of rows in all processes prevents deadlocks. */
export async function addUsage(db: Kysely<Tables>, rows: readonly UsageRow[]): Promise<void> {
  const sorted = rows.toSorted((a, b) => compareText(orderOf(a), orderOf(b)))
  const column = <K extends keyof UsageRow>(name: K) => sorted.map((row) => row[name])
  await sql`
    insert into usage_hour (account_id, hour, key_id, endpoint, outcome, requests, credits)
    select account_id, date_trunc('hour', coffer_now(), 'UTC'), key_id, endpoint, outcome, requests, credits
    from unnest(
      ${column('accountId')}::bigint[], ${column('keyId')}::bigint[], ${column('endpoint')}::text[],
      ${column('outcome')}::text[], ${column('requests')}::bigint[], ${column('credits')}::bigint[]
    ) as counted (account_id, key_id, endpoint, outcome, requests, credits)
    on conflict (account_id, hour, key_id, endpoint, outcome) do update
      set requests = usage_hour.requests + excluded.requests, credits = usage_hour.credits + excluded.credits`.execute(
    db,
  )
}

export async function pruneUsage(db: Kysely<Tables>, days: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from usage_hour where hour < date_trunc('day', coffer_now(), 'UTC') - make_interval(days => ${days})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}

type DayRow = Omit<UsageView['lines'][number], 'requests' | 'credits'> & { requests: bigint; credits: bigint }

export async function viewUsage(db: Kysely<Tables>, accountId: string, days: number): Promise<UsageView> {
  const first = sql<Date>`(date_trunc('day', coffer_now(), 'UTC') - make_interval(days => ${days - 1}))`
  const { rows } = await sql<DayRow>`
    select (hour at time zone 'UTC')::date::text as day, key_id::text as "keyId", endpoint, outcome,
      sum(requests)::bigint as requests, sum(credits)::bigint as credits
    from usage_hour where account_id = ${BigInt(accountId)} and hour >= ${first}
    group by 1, key_id, endpoint, outcome
    order by 1, key_id, endpoint, outcome`.execute(db)
  const { rows: outcomes } = await sql<{ outcome: UsageOutcome; requests: bigint }>`
    select outcome, sum(requests)::bigint as requests
    from usage_hour where account_id = ${BigInt(accountId)} and hour >= ${first} and outcome <> 'ok'
    group by outcome order by outcome`.execute(db)
  const { rows: range } = await sql<{ from: string; to: string }>`
    select (${first} at time zone 'UTC')::date::text as "from", (coffer_now() at time zone 'UTC')::date::text as "to"`.execute(
    db,
  )
  const [{ from, to } = { from: '', to: '' }] = range
  return {
    from,
    to,
    lines: rows.map((row) => ({ ...row, requests: Number(row.requests), credits: Number(row.credits) })),
    refused: outcomes.map(({ outcome, requests }) => ({ outcome, requests: Number(requests) })),
  }
}
