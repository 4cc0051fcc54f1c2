/** UTC, `YYYY-MM-DD`. */
type Day = string

const SECONDS_PER_DAY = 86_400

export function dayOf(time: number): Day {
  return new Date(time * 1_000).toISOString().slice(0, 10)
}

/** Returns Unix seconds. */
/** Unix seconds as ISO 8601, without fractions. */
export const isoTime = (time: number): string => new Date(time * 1_000).toISOString().replace('.000Z', 'Z')

export function startOfDay(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`) / 1_000
}

export function nextDay(day: Day): Day {
  return dayOf(startOfDay(day) + SECONDS_PER_DAY)
}

export function* daysBetween(from: Day, to: Day): Generator<Day> {
  for (let day = from; day <= to; day = nextDay(day)) yield day
}
