import { isWhole, type WorthPoint } from '../../api/series.ts'
import { differenceOf, ratioOf } from '../../lib/decimals.ts'
import { dayBefore } from '../../lib/time.ts'

/** Change of the net worth since 00:00 UTC of a day, in USD and as a ratio; `N/A` if a part of that time is missing. */
export type WorthChange = { days: number; date: string; value: string; ratio: string }

const SPANS = [1, 7, 30]
/** The longest span, and today. */
export const CHANGE_DAYS = 31

/** `netWorth`: current, of the same wallets. */
export function changesOf(points: readonly WorthPoint[], netWorth: string, now: Date): WorthChange[] {
  return SPANS.map((days) => {
    const date = dayBefore(now, days)
    const point = points.find(({ time }) => time.startsWith(date))
    const then = point && isWhole(point) ? point.networth : 'N/A'
    const value = differenceOf(netWorth, then)
    return { days, date, value, ratio: ratioOf(value, then) }
  })
}
