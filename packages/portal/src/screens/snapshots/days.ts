import type { SeriesDay } from '../../api/series.ts'

/** `YYYY-MM-DD`, UTC. */
type Day = string
/** `YYYY-MM`. */
type Month = string

const WEEK = 7
/** Longest range. */
export const RANGE_DAYS = 366

export const dayOf = (moment: Date): Day => moment.toISOString().slice(0, 'YYYY-MM-DD'.length)
export const monthOf = (day: Day): Month => day.slice(0, 'YYYY-MM'.length)

const startOf = (day: Day): Date => new Date(`${day}T00:00:00Z`)

export function monthAfter(month: Month, count: number): Month {
  const start = startOf(`${month}-01`)
  start.setUTCMonth(start.getUTCMonth() + count)
  return monthOf(dayOf(start))
}

/** Weeks run from Monday to Sunday; null stands for days of other months. */
export function weeksOf(month: Month): (Day | null)[][] {
  const first = startOf(`${month}-01`)
  const before = (first.getUTCDay() + WEEK - 1) % WEEK
  const cells: (Day | null)[] = Array.from({ length: before }, () => null)
  for (const at = first; monthOf(dayOf(at)) === month; at.setUTCDate(at.getUTCDate() + 1)) cells.push(dayOf(at))
  while (cells.length % WEEK > 0) cells.push(null)
  return Array.from({ length: cells.length / WEEK }, (_, week) => cells.slice(week * WEEK, (week + 1) * WEEK))
}

/** `partial`: the snapshot lacks a part; `some`: not every wallet has one. */
export type DayState = 'kept' | 'partial' | 'some' | 'pending' | 'gap' | 'none'

export function stateOf({ gaps, incomplete }: SeriesDay, wallets: number): DayState {
  if (gaps.length === 0) return incomplete.length === 0 ? 'kept' : 'partial'
  if (without(gaps) < wallets) return 'some'
  if (gaps.every(({ reason }) => reason === 'not-subscribed')) return 'none'
  return gaps.some(({ reason }) => reason === 'pending') ? 'pending' : 'gap'
}

const without = (gaps: SeriesDay['gaps']): number => new Set(gaps.map(({ address }) => address.toLowerCase())).size

/** Returns the wallets with a snapshot. */
export function keptOf({ gaps }: SeriesDay, wallets: readonly string[]): string[] {
  const missing = new Set(gaps.map(({ address }) => address.toLowerCase()))
  return wallets.filter((wallet) => !missing.has(wallet.toLowerCase()))
}
