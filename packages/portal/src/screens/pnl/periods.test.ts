import { i18n } from '@lingui/core'
import { beforeAll, expect, test } from 'vitest'
import { dayAfter, isDay, lastDayOf, periodName } from './periods.ts'

beforeAll(() => i18n.loadAndActivate({ locale: 'en', messages: {} }))

test('periods have names by how a span is divided, also where the span cuts them', () => {
  const cut = { from: '2026-08-15', to: '2026-09-01' }
  expect(periodName(cut, 'YEAR')).toBe('2026')
  expect(periodName({ from: '2026-12-31', to: '2027-01-01' }, 'QUARTER')).toBe('Q4 2026')
  expect(periodName({ from: '2026-01-01', to: '2026-04-01' }, 'QUARTER')).toBe('Q1 2026')
  expect(periodName(cut, 'MONTH')).toBe('August 2026')
  expect(periodName(cut, 'TOTAL')).toBe('Aug 15, 2026 – Aug 31, 2026')
})

test('days follow each other over the ends of months and years', () => {
  expect([dayAfter('2026-12-31'), dayAfter('2028-02-28')]).toEqual(['2027-01-01', '2028-02-29'])
  expect(lastDayOf({ from: '2026-01-01', to: '2026-03-01' })).toBe('2026-02-28')
})

test('a text that is no day is distinguished from one', () => {
  expect(['2026-01-31', '2026-13-01', '2026-02-30', '2026-1-1', 'x', '', undefined].map(isDay)).toEqual([
    ...[true, false, false, false, false, false, false],
  ])
})
