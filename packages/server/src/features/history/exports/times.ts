import { dayOf, nextDay, startOfDay } from '../../../domain/day.ts'

/** UTC. */
const partsOf = (time: number) => {
  const [day = '', rest = ''] = new Date(time * 1_000).toISOString().split('T')
  const [year = '', month = '', date = ''] = day.split('-')
  return { day, year, month, date, clock: rest.slice(0, '00:00:00'.length) }
}

/** `2026-12-31 23:59:59` */
export function isoTime(time: number): string {
  const { day, clock } = partsOf(time)
  return `${day} ${clock}`
}

/** `12/31/2026` */
export function americanDay(time: number): string {
  const { year, month, date } = partsOf(time)
  return `${month}/${date}/${year}`
}

export const americanTime = (time: number): string => `${americanDay(time)} ${partsOf(time).clock}`

/** `31.12.2026` */
export function germanDay(time: number): string {
  const { year, month, date } = partsOf(time)
  return `${date}.${month}.${year}`
}

export const germanTime = (time: number): string => `${germanDay(time)} ${partsOf(time).clock}`

/** Under US rules, counted from the day after the acquisition. */
export function isLongTerm(acquired: number, sold: number): boolean {
  const { year, month, date } = partsOf(startOfDay(nextDay(dayOf(acquired))))
  return Date.UTC(Number(year) + 1, Number(month) - 1, Number(date)) <= Date.parse(dayOf(sold))
}

/** Under German rules (private sales). 29 February becomes the 28th. */
export function isAfterTerm(acquired: number, sold: number): boolean {
  const { year, month, date } = partsOf(acquired)
  const next = Number(year) + 1
  const last = new Date(Date.UTC(next, Number(month), 0)).getUTCDate()
  return Date.UTC(next, Number(month) - 1, Math.min(Number(date), last)) < Date.parse(dayOf(sold))
}
