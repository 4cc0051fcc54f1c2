import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type BlockRange, mergeRanges, missingRanges, searchedRanges, splitRange } from './block-ranges.ts'

const range = fc
  .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 12 }))
  .map(([from, length]): BlockRange => ({ fromBlock: BigInt(from), toBlock: BigInt(from + length) }))

const blocksOf = (ranges: readonly BlockRange[]) => {
  const blocks: number[] = []
  for (const { fromBlock, toBlock } of ranges) for (let b = fromBlock; b <= toBlock; b += 1n) blocks.push(Number(b))
  return blocks.sort((a, b) => a - b)
}

test('merging keeps exactly the same blocks, in ranges that neither touch nor overlap', () => {
  fc.assert(
    fc.property(fc.array(range, { maxLength: 12 }), (ranges) => {
      const merged = mergeRanges(ranges)
      expect(blocksOf(merged)).toEqual([...new Set(blocksOf(ranges))])
      merged.slice(1).forEach((next, i) => {
        expect(next.fromBlock).toBeGreaterThan((merged[i]?.toBlock ?? 0n) + 1n)
      })
    }),
  )
})

test('covered and missing blocks are the whole, and share none', () => {
  fc.assert(
    fc.property(range, fc.array(range, { maxLength: 12 }), (whole, covered) => {
      const have = new Set(blocksOf(covered))
      const expected = blocksOf([whole]).filter((block) => !have.has(block))
      const missing = missingRanges(whole, covered)
      expect(blocksOf(missing)).toEqual(expected)
      expect(missing).toEqual([...missing].sort((a, b) => (a.fromBlock < b.fromBlock ? 1 : -1)))
    }),
  )
})

test('pieces are the whole, each within the size, newest first', () => {
  fc.assert(
    fc.property(range, fc.bigInt({ min: 1n, max: 9n }), (whole, size) => {
      const pieces = splitRange(whole, size)
      expect(blocksOf(pieces)).toEqual(blocksOf([whole]))
      expect(pieces.every(({ fromBlock, toBlock }) => toBlock - fromBlock < size)).toBe(true)
      expect(pieces).toEqual([...pieces].sort((a, b) => (a.fromBlock < b.fromBlock ? 1 : -1)))
    }),
  )
})

test('the last 64 blocks that were searched are searched again, however far the chain has gone since', () => {
  expect(searchedRanges([])).toEqual([])
  expect(
    searchedRanges([
      { fromBlock: 0n, toBlock: 100n },
      { fromBlock: 200n, toBlock: 300n },
    ]),
  ).toEqual([
    { fromBlock: 0n, toBlock: 100n },
    { fromBlock: 200n, toBlock: 236n },
  ])
  expect(searchedRanges([{ fromBlock: 290n, toBlock: 300n }])).toEqual([])
})
