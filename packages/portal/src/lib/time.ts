import { i18n } from '@lingui/core'
import { toDrawn } from './pixels.ts'

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

const locale = (): string => i18n.locale || 'en'

/** Local time, to the minute. */
export const formatMoment = (moment: Date): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(moment)

/** Formats a UTC day of the service, `2026-11-22`, in no time zone of the user. */
export const formatDay = (day: string): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(`${day}T00:00:00Z`))

/** Time before or after `now`, in the largest unit that fits. */
export function formatAge(moment: Date, now: Date): string {
  const seconds = Math.round((moment.getTime() - now.getTime()) / 1000)
  const [unit, length] = STEPS.find(([, step]) => Math.abs(seconds) >= step) ?? ['second', 1]
  return new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(Math.trunc(seconds / length), unit)
}

/** In the largest unit that fits. */
export function formatSpan(seconds: number): string {
  const [unit, length] = STEPS.find(([, step]) => seconds >= step) ?? ['second', 1]
  const style = { style: 'unit', unit, unitDisplay: 'long' } as const
  return new Intl.NumberFormat(locale(), style).format(Math.trunc(seconds / length))
}

/** Parses seconds since 1970, as the API writes block times; null if invalid or outside the calendar. */
export function fromUnixSeconds(seconds: string): Date | null {
  const count = toDrawn(seconds)
  return count === null || count > LAST_SECOND ? null : new Date(count * 1000)
}

/** Parses milliseconds since 1970, as the API writes read times; null if invalid. */
export function fromUnixMillis(millis: string): Date | null {
  const count = toDrawn(millis)
  return count === null ? null : new Date(count)
}

/** Returns the UTC day `days` before a moment's, as the service names days. */
export const dayBefore = (moment: Date, days: number): string =>
  new Date(moment.getTime() - days * DAY_SECONDS * 1000).toISOString().slice(0, 10)

const DAY_SECONDS = 86_400
/** Largest second of `Date`; contracts write larger ones for never. */
const LAST_SECOND = 8_640_000_000_000
const MONTH_SECONDS = 28 * DAY_SECONDS

/** Formats a tick of an axis, as short as distinguishes ticks that are `step` seconds apart. */
export function formatTick(moment: Date, step: number): string {
  return new Intl.DateTimeFormat(locale(), tickParts(step)).format(moment)
}

function tickParts(step: number): Intl.DateTimeFormatOptions {
  if (step < DAY_SECONDS) return { hour: '2-digit', minute: '2-digit' }
  return step < MONTH_SECONDS ? { day: 'numeric', month: 'short' } : { month: 'short', year: 'numeric' }
}
