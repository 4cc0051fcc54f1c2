import { dayOf, startOfDay } from './day.ts'

export type PeriodUnit = 'TOTAL' | 'YEAR' | 'QUARTER' | 'MONTH'

/** UTC days; `to` is exclusive. */
export type Period = { from: string; to: string }

const MONTHS: Readonly<Record<Exclude<PeriodUnit, 'TOTAL'>, number>> = { YEAR: 12, QUARTER: 3, MONTH: 1 }

/** Returns calendar periods; the outer ones end with the span. */
export function periodsOf({ from, to }: Period, unit: PeriodUnit): Period[] {
  if (from >= to) return []
  if (unit === 'TOTAL') return [{ from, to }]
  const periods: Period[] = []
  for (let since = from; since < to; ) {
    const next = nextStart(since, MONTHS[unit])
    const until = next < to ? next : to
    periods.push({ from: since, to: until })
    since = until
  }
  return periods
}

function nextStart(day: string, months: number): string {
  const date = new Date(startOfDay(day) * 1_000)
  const month = Math.floor(date.getUTCMonth() / months) * months + months
  return dayOf(Date.UTC(date.getUTCFullYear(), month, 1) / 1_000)
}
