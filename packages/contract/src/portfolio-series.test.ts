import { expect, test } from 'vitest'
import { type SeriesSpan, seriesTimes } from './portfolio-series.ts'

const unix = (text: string) => Date.parse(text) / 1_000
const timesOf = (interval: SeriesSpan['interval'], from: string, to: string) =>
  seriesTimes({ interval, from: unix(from), to: unix(to) }).map((time) => new Date(time * 1_000).toISOString())

test.each<[SeriesSpan['interval'], string, string, string[]]>([
  ['HOUR', '2026-03-01T22:00:01Z', '2026-03-02T00:00:00Z', ['2026-03-01T23:00:00.000Z', '2026-03-02T00:00:00.000Z']],
  ['DAY', '2026-02-28T00:00:00Z', '2026-03-01T23:59:59Z', ['2026-02-28T00:00:00.000Z', '2026-03-01T00:00:00.000Z']],
  ['DAY', '2026-02-28T01:00:00+01:00', '2026-02-28T00:00:00Z', ['2026-02-28T00:00:00.000Z']],
  // Two Mondays.
  ['WEEK', '2026-11-17T00:00:00Z', '2026-11-30T00:00:00Z', ['2026-11-23T00:00:00.000Z', '2026-11-30T00:00:00.000Z']],
  ['MONTH', '2025-12-01T00:00:00Z', '2026-01-31T00:00:00Z', ['2025-12-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z']],
  ['MONTH', '2025-12-01T00:00:01Z', '2026-01-31T00:00:00Z', ['2026-01-01T00:00:00.000Z']],
  ['MONTH', '2026-01-31T12:00:00Z', '2026-03-01T00:00:00Z', ['2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z']],
  ['DAY', '2026-03-01T00:00:01Z', '2026-03-01T23:59:59Z', []],
  ['DAY', '2026-03-02T00:00:00Z', '2026-03-01T00:00:00Z', []],
])('a series by %s from %s to %s', (interval, from, to, times) => {
  expect(timesOf(interval, from, to)).toEqual(times)
})

test('has 366 days in a leap year, and ends one after its limit', () => {
  expect(timesOf('DAY', '2024-01-01T00:00:00Z', '2024-12-31T00:00:00Z')).toHaveLength(366)
  expect(timesOf('HOUR', '2024-01-01T00:00:00Z', '2026-01-01T00:00:00Z')).toHaveLength(1_001)
})
