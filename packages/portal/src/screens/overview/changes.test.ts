import { expect, test } from 'vitest'
import type { WorthPoint } from '../../api/series.ts'
import { changesOf } from './changes.ts'

const point = (date: string, networth: string, incomplete: WorthPoint['incomplete'] = []): WorthPoint => ({
  time: `${date}T00:00:00Z`,
  networth,
  incomplete,
  computing: false,
  chains: {},
  protocols: {},
  asOf: {},
})

test('changes since whole days; others are N/A', () => {
  const points = [
    point('2026-10-23', '70', [{ chain: 'base', reason: 'no-state', wallets: '1' }]),
    point('2026-11-15', '80', [{ chain: 'base', protocol: 'aave', reason: 'unreadable', wallets: '1' }]),
    point('2026-11-21', 'N/A'),
  ]
  expect(changesOf(points, '100.5', new Date('2026-11-22T18:00:00Z'))).toEqual([
    { days: 1, date: '2026-11-21', value: 'N/A', ratio: 'N/A' },
    { days: 7, date: '2026-11-15', value: '20.5', ratio: '0.25625' },
    { days: 30, date: '2026-10-23', value: 'N/A', ratio: 'N/A' },
  ])
})

test('a day without holdings has no ratio', () => {
  const [change] = changesOf([point('2026-11-21', '0')], '100.5', new Date('2026-11-22T18:00:00Z'))
  expect(change).toEqual({ days: 1, date: '2026-11-21', value: '100.5', ratio: 'N/A' })
})
