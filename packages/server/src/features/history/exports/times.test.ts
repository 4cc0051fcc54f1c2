import { expect, test } from 'vitest'
import { startOfDay } from '../../../domain/day.ts'
import { americanTime, germanTime, isAfterTerm, isLongTerm, isoTime } from './times.ts'

const at = (day: string) => startOfDay(day) + 86_399

test('a moment as programs spell it', () => {
  const last = at('2026-12-31')
  expect([isoTime(last), americanTime(last), germanTime(last)]).toEqual([
    ...['2026-12-31 23:59:59', '12/31/2026 23:59:59', '31.12.2026 23:59:59'],
  ])
})

// From the rules: in the United States the year begins on the day after the acquisition. In Germany it ends on the same
// day a year later, or the last day of that month.
test.each([
  ['2025-03-10', '2026-03-09', false, false],
  ['2025-03-10', '2026-03-10', false, false],
  ['2025-03-10', '2026-03-11', true, true],
  ['2025-12-31', '2026-12-31', false, false],
  ['2025-12-31', '2027-01-01', true, true],
  ['2024-02-29', '2025-02-28', false, false],
  ['2024-02-29', '2025-03-01', true, true],
  ['2023-02-28', '2024-02-29', false, true],
  ['2023-02-28', '2024-03-01', true, true],
])('bought on %s and sold on %s', (acquired, sold, isLong, isFree) => {
  expect([isLongTerm(at(acquired), startOfDay(sold)), isAfterTerm(at(acquired), startOfDay(sold))]).toEqual([
    isLong,
    isFree,
  ])
})
