import { expect, test } from 'vitest'
import { presentPnlGaps } from './wallet-figures.ts'

test('each is named once, and a flood of contracts by its chain alone', () => {
  const gap = { reason: 'gap', chain: 'ethereum', contract: '0x1' } as const
  const flood = Array.from({ length: 21 }, (_, i) => ({
    ...{ reason: 'unknown-disposal', chain: 'base' },
    contract: `0x${i}`,
  })) satisfies { reason: string }[]
  const few = flood.slice(0, 20).map((each) => ({ ...each, chain: 'ethereum', reason: 'unknown-cost' as const }))
  expect(
    presentPnlGaps([gap, gap, ...flood.map((each) => ({ ...each, reason: 'unknown-disposal' as const })), ...few]),
  ).toEqual([gap, { reason: 'unknown-disposal', chain: 'base' }, ...few])
})
