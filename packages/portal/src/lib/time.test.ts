import { expect, test } from 'vitest'
import { dayBefore, formatAge, formatDay, formatSpan, formatTick, fromUnixMillis, fromUnixSeconds } from './time.ts'

const now = new Date('2026-11-22T12:00:00Z')
const age = (moment: string) => formatAge(new Date(moment), now)

test('an age has the largest unit that fits', () => {
  expect(age('2026-11-22T11:59:15Z')).toBe('45 seconds ago')
  expect(age('2026-11-22T10:01:00Z')).toBe('1 hour ago')
  expect(age('2026-11-20T11:00:00Z')).toBe('2 days ago')
  expect(age('2026-11-23T12:00:00Z')).toBe('tomorrow')
  expect(age('2026-11-22T12:00:00Z')).toBe('now')
})

test('a span has the largest unit that fits', () => {
  expect([0, 59, 60, 7_199, 86_400].map(formatSpan)).toEqual(['0 seconds', '59 seconds', '1 minute', '1 hour', '1 day'])
})

test('a day is the same in every time zone', () => {
  expect(formatDay('2026-11-22')).toBe('Nov 22, 2026')
})

test('block times are seconds in text', () => {
  expect(fromUnixSeconds('1700000000')?.toISOString()).toBe('2023-11-14T22:13:20.000Z')
  expect(fromUnixSeconds('N/A')).toBeNull()
})

test('marks of an axis tell one from the next', () => {
  expect([3600, 86_400, 2_592_000].map((step) => formatTick(now, step))).toEqual(['12:00 PM', 'Nov 22', 'Nov 2026'])
})

test('times of the API, and those that are in no calendar', () => {
  expect(fromUnixSeconds('1800000000')?.toISOString()).toBe('2027-01-15T08:00:00.000Z')
  expect([fromUnixSeconds('18446744073709551615'), fromUnixSeconds('N/A')]).toEqual([null, null])
  expect(fromUnixMillis('1800000000123')?.toISOString()).toBe('2027-01-15T08:00:00.123Z')
  expect(dayBefore(new Date('2026-03-01T23:59:59Z'), 1)).toBe('2026-02-28')
})
