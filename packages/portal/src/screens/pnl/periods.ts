import { i18n } from '@lingui/core'
import { t } from '../../lib/i18n.ts'
import { dayBefore, formatDay } from '../../lib/time.ts'
import type { PnlUnit } from './use-pnl.ts'

/** UTC days; `to` is the first day after the period. */
export type Period = { from: string; to: string }

const DAY = /^\d{4}-\d{2}-\d{2}$/
const momentOf = (day: string): Date => new Date(`${day}T00:00:00Z`)

/** Returns true if an untrusted text is a day of the calendar. */
export const isDay = (text: string | undefined): text is string =>
  text !== undefined && DAY.test(text) && momentOf(text).toJSON()?.startsWith(text) === true

export const dayAfter = (day: string): string => dayBefore(momentOf(day), -1)
export const lastDayOf = ({ to }: Period): string => dayBefore(momentOf(to), 1)

/** Returns `2026`, `Q3 2026`, `August 2026`, or the first and last day. */
export function periodName(period: Period, unit: PnlUnit): string {
  const { from } = period
  const year = from.slice(0, 4)
  if (unit === 'YEAR') return year
  if (unit === 'QUARTER') return t('Q{n} {year}', { n: Math.floor(momentOf(from).getUTCMonth() / 3) + 1, year })
  if (unit === 'TOTAL') return `${formatDay(from)} – ${formatDay(lastDayOf(period))}`
  const format = new Intl.DateTimeFormat(i18n.locale || 'en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
  return format.format(momentOf(from))
}
