import { sql } from 'kysely'
import type { Db } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import type { DueSnapshot, GapReason, WalletDate } from './snapshot-store.ts'

const MOST_DUE = 5_000

export type DayState = {
  date: string
  state: 'taken' | 'gap' | 'missing'
  chain: string | null
  reason: GapReason | null
}

/** Days that can only be taken in their hour come first. */
export async function findDue(db: Db): Promise<DueSnapshot[]> {
  await passSettledDays(db)
  const { rows } = await sql<{ address: Address; date: string; account_id: bigint | null; subscribed_at: Date }>`
    with missing as (${missingDays})
    select address, date, case when is_first then account_id end as account_id,
      case when is_first then subscribed_at end as subscribed_at
    from missing group by is_passing, 1, 2, 3, 4 order by is_passing desc, random() limit ${MOST_DUE}`.execute(db)
  return rows.map(({ address, date, account_id, subscribed_at }) => ({
    address,
    date,
    first: account_id === null ? null : { accountId: String(account_id), subscribedAt: subscribed_at.toISOString() },
  }))
}

export async function findFirst(db: Db, { address, date, accountId }: WalletDate & { accountId: string }) {
  const { rows } = await sql<{ subscribed_at: Date; is_today: boolean }>`
    select subscribed_at, date = (coffer_now() at time zone 'UTC')::date as is_today
    from (${missingDays}) as missing
    where account_id = ${BigInt(accountId)} and address = ${address} and date = ${date}::date
      and is_first`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const first = { accountId, subscribedAt: row.subscribed_at.toISOString() }
  return { due: { address, date, first }, isToday: row.is_today }
}

/** In UTC. */
export async function findToday(db: Db): Promise<string> {
  const { rows } = await sql<{ today: string }>`select (coffer_now() at time zone 'UTC')::date as today`.execute(db)
  return rows[0]?.today ?? ''
}

export async function findWaiting(db: Db, { address, date }: WalletDate): Promise<bigint[]> {
  const { rows } = await sql<{ account_id: bigint }>`
    select distinct account_id from (${missingDays}) as missing
    where address = ${address} and date = ${date}::date and not is_first`.execute(db)
  return rows.map(({ account_id }) => account_id)
}

export async function findSubscribers(db: Db, address: Address): Promise<bigint[]> {
  const rows = await db
    .selectFrom('snapshot_subscription')
    .select('account_id')
    .distinct()
    .where('address', '=', address)
    .orderBy('account_id')
    .execute()
  return rows.map(({ account_id }) => account_id)
}

export async function listDays(db: Db, accountId: bigint, address: Address): Promise<DayState[]> {
  const { rows } = await sql<DayState>`
    select date, 'taken' as state, null as chain, null as reason from account_snapshot
      where account_id = ${accountId} and address = ${address}
    union all select date, 'gap', chain, reason from snapshot_gap
      where account_id = ${accountId} and address = ${address}
    union all select date, 'missing', null, null from (${missingDays}) as missing
      where account_id = ${accountId} and address = ${address}
    order by date`.execute(db)
  return rows
}

/** Without snapshot or gap: the first day of a subscription (`is_first`), then each whose first moment is covered. */
/** After its end, `next_date` is infinity. */
const isOpen = sql`s.next_date <= (coffer_now() at time zone 'UTC')::date`

const missingDays = sql`
  select s.account_id, s.address, s.subscribed_at, s.is_passing, day::date as date,
    day::date = (s.subscribed_at at time zone 'UTC')::date as is_first
  from snapshot_subscription s
  cross join lateral generate_series(
    s.next_date::timestamp,
    least(
      date_trunc('day', coffer_now() at time zone 'UTC'),
      date_trunc('day', (s.expires_at at time zone 'UTC') - interval '1 microsecond')),
    interval '1 day') as day
  where ${isOpen} and (
      select true from account_snapshot t
      where (t.account_id, t.address, t.date) = (s.account_id, s.address, day::date) limit 1) is null
    and (
      select true from snapshot_gap g
      where (g.account_id, g.address, g.date) = (s.account_id, s.address, day::date) limit 1) is null`

/** Earlier days are not checked again. */
async function passSettledDays(db: Db): Promise<void> {
  await sql`
    with missing as (
      select account_id, address, subscribed_at, min(date) as date from (${missingDays}) as missing group by 1, 2, 3)
    update snapshot_subscription s
    set next_date = passed.date
    from (
      select s.account_id, s.address, s.subscribed_at,
        coalesce(missing.date, case
          when (coffer_now() at time zone 'UTC')::date >= ((s.expires_at at time zone 'UTC') - interval '1 microsecond')::date
          then 'infinity' else (coffer_now() at time zone 'UTC')::date + 1 end) as date
      from snapshot_subscription s left join missing using (account_id, address, subscribed_at)
      where ${isOpen}) as passed
    where (s.account_id, s.address, s.subscribed_at) = (passed.account_id, passed.address, passed.subscribed_at)
      and s.next_date < passed.date`.execute(db)
}
