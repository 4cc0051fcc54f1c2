import { Failure } from '@coffer/contract'
import type { SeriesView } from '@coffer/contract/portal'
import { sql } from 'kysely'
import type { Db } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { daysBetween } from '../../domain/day.ts'
import { formatDecimal, roundPrice, sum } from '../../domain/decimal.ts'
import { gapsOf, valueRead } from '../../domain/valuation.ts'
import { lazyPagesOf } from '../../lib/pages.ts'
import type { PortfolioState } from '../portfolio/present-portfolio.ts'
import { decodeReads, findReads, type WalletDate } from './snapshot-store.ts'

export type WalletDay = WalletDate & { accountId: string }

export async function hasSnapshot(db: Db, { accountId, ...day }: WalletDay): Promise<boolean> {
  return (await findReads(db, accountId, day)) !== undefined
}

/** At the prices of the day. Throws NOT_FOUND. */
export async function getSnapshot(db: Db, { accountId, ...day }: WalletDay): Promise<PortfolioState> {
  const reads = await findReads(db, accountId, day)
  if (!reads) throw new Failure('NOT_FOUND', `There is no snapshot of ${day.address} on ${day.date}`)
  return { address: day.address, reads: reads.map(valueRead), incomplete: [] }
}

const PAGE_DAYS = 20

type Day = SeriesView['days'][number]
type Asked = { addresses: readonly Address[]; from: string; to: string }
type Row = {
  address: Address
  date: string
  /** Null: there is no snapshot. */
  reads: unknown
  gap: { chain: string; reason: 'no-state' | 'unreadable' } | null
  is_due: boolean
}

/** A day that lacks a wallet has no net worth. */
export async function viewSeries(db: Db, accountId: string, { addresses, from, to }: Asked): Promise<SeriesView> {
  const days: Day[] = []
  for (const dates of lazyPagesOf(daysBetween(from, to), PAGE_DAYS)) {
    const rows = Map.groupBy(await findDays(db, accountId, addresses, dates), ({ date }) => date)
    days.push(...dates.map((date) => dayOf(date, rows.get(date) ?? [])))
  }
  return { currency: 'USD', days }
}

function dayOf(date: string, rows: readonly Row[]): Day {
  const gaps = rows.flatMap(gapOf)
  const valued = rows.flatMap(({ address, reads }) =>
    reads === null ? [] : decodeReads(address, reads).map((read) => ({ address, ...valueRead(read) })),
  )
  const incomplete = valued.flatMap((each) =>
    gapsOf(each).map(({ reason }) => ({ address: each.address, chain: each.read.chain, reason })),
  )
  const netWorth = gaps.length > 0 ? 'N/A' : formatDecimal(roundPrice(sum(valued.map(({ value }) => value))))
  return { date, netWorth, gaps, incomplete }
}

function gapOf({ address, reads, gap, is_due }: Row): Day['gaps'] {
  if (reads !== null) return []
  if (gap !== null) return [{ address, ...gap }]
  return [{ address, reason: is_due ? 'pending' : 'not-subscribed' }]
}

export async function findDays(db: Db, accountId: string, addresses: readonly Address[], dates: readonly string[]) {
  const account = BigInt(accountId)
  const { rows } = await sql<Omit<Row, 'reads'> & { snapshotId: bigint | null }>`
    select asked.address, day::text as date, snapshot_id as "snapshotId",
      (select jsonb_build_object('chain', chain, 'reason', reason) from snapshot_gap gap
        where gap.account_id = ${account} and gap.address = asked.address and gap.date = day) as gap,
      exists (select from snapshot_subscription s
        where s.account_id = ${account} and s.address = asked.address and day >= (s.subscribed_at at time zone 'UTC')::date
          and day::timestamp at time zone 'UTC' < s.expires_at) as is_due
    from unnest(${addresses}::text[]) with ordinality as asked (address, place)
    cross join unnest(${dates}::date[]) as day
    left join account_snapshot had on had.account_id = ${account} and had.address = asked.address and had.date = day
    order by day, asked.place`.execute(db)
  const ids = rows.flatMap(({ snapshotId }) => (snapshotId === null ? [] : [snapshotId]))
  const { rows: snapshots } = await sql<{ id: bigint; reads: unknown }>`
    select id, reads from wallet_snapshot
    where address = any (${addresses}) and id = any (${ids.map(String)}::bigint[])`.execute(db)
  const readsOf = new Map(snapshots.map(({ id, reads }) => [id, reads]))
  return rows.map(({ snapshotId, ...row }): Row => ({ ...row, reads: snapshotId && readsOf.get(snapshotId) }))
}
