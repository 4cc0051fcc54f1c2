import { expect, test } from 'vitest'
import { changesOf, hasSnapshots } from './changes.ts'

const day = (date: string, netWorth: string) => ({ date, netWorth, gaps: [], incomplete: [] })

test('changes since days that have a snapshot; others are not known', () => {
  const series = { currency: 'USD' as const, days: [day('2026-11-15', '80'), day('2026-11-21', 'N/A')] }
  expect(changesOf(series, '100.5', new Date('2026-11-22T18:00:00Z'))).toEqual([
    { days: 1, date: '2026-11-21', value: 'N/A', ratio: 'N/A' },
    { days: 7, date: '2026-11-15', value: '20.5', ratio: '0.25625' },
    { days: 30, date: '2026-10-23', value: 'N/A', ratio: 'N/A' },
  ])
  expect(hasSnapshots(series)).toBe(true)
  expect(hasSnapshots({ ...series, days: [day('2026-11-21', 'N/A')] })).toBe(false)
})
