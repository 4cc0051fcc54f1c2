import type { SeriesView } from '@coffer/contract/portal'
import { differenceOf, ratioOf } from '../../lib/decimals.ts'
import { dayBefore } from '../../lib/time.ts'

/** Change of the net worth since 00:00 UTC of a day, in USD and as a ratio; `N/A` if the day has no snapshot. */
export type WorthChange = { days: number; date: string; value: string; ratio: string }

const SPANS = [1, 7, 30]

/** `netWorth`: current, of the same wallets. */
export function changesOf(series: SeriesView, netWorth: string, now: Date): WorthChange[] {
  return SPANS.map((days) => {
    const date = dayBefore(now, days)
    const then = series.days.find((day) => day.date === date)?.netWorth ?? 'N/A'
    const value = differenceOf(netWorth, then)
    return { days, date, value, ratio: ratioOf(value, then) }
  })
}

export const hasSnapshots = (series: SeriesView): boolean => series.days.some(({ netWorth }) => netWorth !== 'N/A')
