import { expect, test } from 'vitest'
import type { SeriesDay, SeriesGap } from '../../api/series.ts'
import { keptOf, monthAfter, stateOf, weeksOf } from './days.ts'

test('weeks of a month begin on Monday and hold its days alone', () => {
  // 1 November 2026 is a Sunday, 1 February 2027 a Monday.
  const november = weeksOf('2026-11')
  expect(november[0]).toEqual([null, null, null, null, null, null, '2026-11-01'])
  expect(november.at(-1)).toEqual(['2026-11-30', null, null, null, null, null, null])
  const february = weeksOf('2027-02')
  expect([february.length, february[0]?.[0], february[3]?.[6]]).toEqual([4, '2027-02-01', '2027-02-28'])
  expect(weeksOf('2028-02').flat().filter(Boolean)).toHaveLength(29)
})

test('months go over the ends of years', () => {
  expect([monthAfter('2026-12', 1), monthAfter('2026-01', -1), monthAfter('2026-03', -12)]).toEqual([
    ...['2027-01', '2025-12', '2025-03'],
  ])
})

const gap = (address: string, reason: SeriesGap['reason']): SeriesGap => ({ address, reason })
const day = (gaps: SeriesGap[], incomplete: SeriesDay['incomplete'] = []): SeriesDay => ({
  date: '2026-11-22',
  netWorth: 'N/A',
  gaps,
  incomplete,
})
const lacks = [{ address: '0xa', chain: 'base', reason: 'unreadable' }]

test('a day is kept, or says what is wrong with it', () => {
  const states = [
    day([]),
    day([], lacks),
    day([gap('0xA', 'unreadable'), gap('0xa', 'no-state')]),
    day([gap('0xa', 'not-subscribed'), gap('0xb', 'not-subscribed')]),
    day([gap('0xa', 'not-subscribed'), gap('0xb', 'pending')]),
    day([gap('0xa', 'not-subscribed'), gap('0xb', 'no-state')]),
  ].map((one) => stateOf(one, 2))
  expect(states).toEqual(['kept', 'partial', 'some', 'none', 'pending', 'gap'])
})

test('the wallets of a day are those without a gap, however they are spelled', () => {
  expect(keptOf(day([gap('0xa', 'pending')]), ['0xA', '0xB'])).toEqual(['0xB'])
})
