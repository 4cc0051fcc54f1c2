import { z } from 'zod'

const DATE = /^(?!0000)\d{4}-\d{2}-\d{2}$/

/** Tests for `YYYY-MM-DD`, a calendar day of the year 1 or later. */
export function isDay(text: string): boolean {
  if (!DATE.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

const INSTANT = z.iso.datetime({ offset: true })

/** Unix seconds, rounded down. */
export const instantQuery = z
  .custom<string>(
    (value) => INSTANT.safeParse(value).success && !Number.isNaN(Date.parse(String(value))),
    'must be a time with a zone, such as 2026-03-01T12:00:00Z',
  )
  .transform((value) => Math.floor(Date.parse(value) / 1_000))
  .meta({ wire: { type: 'string', format: 'date-time' } })

/** A day stays text, a time becomes Unix seconds, rounded down. */
export const dayOrInstantQuery = z
  .custom<string>(
    (value) => typeof value === 'string' && (isDay(value) || instantQuery.safeParse(value).success),
    'must be a day as YYYY-MM-DD, or a time with a zone, such as 2026-03-01T12:00:00Z',
  )
  .transform((value) => (isDay(value) ? value : instantQuery.parse(value)))
  .meta({ wire: { type: 'string' } })

export const dayQuery = z
  .custom<string>((value) => typeof value === 'string' && isDay(value), 'must be a day as YYYY-MM-DD')
  .meta({ wire: { type: 'string', format: 'date' } })
