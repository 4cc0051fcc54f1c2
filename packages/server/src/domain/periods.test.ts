import { expect, test } from 'vitest'
import { periodsOf } from './periods.ts'

const span = { from: '2026-11-15', to: '2028-02-02' }
const startsOf = (unit: Parameters<typeof periodsOf>[1]) => periodsOf(span, unit).map(({ from }) => from)

test('a span is divided at the edges of the calendar, and its ends stay where they are', () => {
  expect(periodsOf(span, 'YEAR')).toEqual([
    { from: '2026-11-15', to: '2027-01-01' },
    { from: '2027-01-01', to: '2028-01-01' },
    { from: '2028-01-01', to: '2028-02-02' },
  ])
  expect(startsOf('QUARTER')).toEqual([
    ...['2026-11-15', '2027-01-01', '2027-04-01', '2027-07-01', '2027-10-01', '2028-01-01'],
  ])
  expect(startsOf('MONTH')).toHaveLength(16)
  expect(periodsOf(span, 'TOTAL')).toEqual([span])
})

test('a span without days has no periods', () => {
  expect(periodsOf({ from: '2026-01-01', to: '2026-01-01' }, 'TOTAL')).toEqual([])
})
