import { z } from 'zod'

const DATE = /^(?!0000)\d{4}-\d{2}-\d{2}$/

/** `YYYY-MM-DD`, a day that there is in the calendar, of the year 1 or later. */
export function isDay(text: string): boolean {
  if (!DATE.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** A day in a query; it comes out as it went in. */
export const dayQuery = z
  .custom<string>((value) => typeof value === 'string' && isDay(value), 'must be a day as YYYY-MM-DD')
  .meta({ wire: { type: 'string', format: 'date' } })
