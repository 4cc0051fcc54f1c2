import { expect, test } from 'vitest'
import { groupByMissing } from '../logs/token-discovery.ts'

const range = (from: number, to: number) => ({ fromBlock: BigInt(from), toBlock: BigInt(to) })

test('wallets that lack about the same blocks are one search, and none becomes more than twice as long', () => {
  const searches = [
    { wallet: 'cold', missing: [range(0, 1_000_000)] },
    { wallet: 'warm', missing: [range(999_991, 1_000_000)] },
    { wallet: 'a block later', missing: [range(999_992, 1_000_001)] },
    // The group then covers 20 blocks: twice the 10 of its shortest search.
    { wallet: 'twice as long', missing: [range(999_982, 1_000_001)] },
    { wallet: 'a block too long', missing: [range(999_981, 1_000_001)] },
    { wallet: 'with an old gap', missing: [range(999_991, 1_000_000), range(0, 499_999)] },
    { wallet: 'whole', missing: [] },
    { wallet: 'whole too', missing: [] },
    { wallet: 'also cold', missing: [range(0, 1_000_001)] },
  ]
  const groups = groupByMissing(searches).map(({ ranges, searches: some }) => ({
    ranges,
    wallets: some.map(({ wallet }) => wallet),
  }))
  expect(groups).toEqual([
    { ranges: [], wallets: ['whole', 'whole too'] },
    { ranges: [range(999_982, 1_000_001)], wallets: ['warm', 'a block later', 'twice as long'] },
    { ranges: [range(999_981, 1_000_001)], wallets: ['a block too long'] },
    { ranges: [range(0, 1_000_001)], wallets: ['with an old gap', 'cold', 'also cold'] },
  ])
})
