/** Blocks `fromBlock` to `toBlock`, both included. */
export type BlockRange = { fromBlock: bigint; toBlock: bigint }

/** The same blocks as ordered, disjoint ranges; neighbours are joined. */
export function mergeRanges(ranges: readonly BlockRange[]): BlockRange[] {
  const ordered = [...ranges].sort((a, b) => (a.fromBlock < b.fromBlock ? -1 : 1))
  const merged: BlockRange[] = []
  for (const range of ordered) {
    const last = merged.at(-1)
    if (!last || range.fromBlock > last.toBlock + 1n) merged.push({ ...range })
    else if (range.toBlock > last.toBlock) last.toBlock = range.toBlock
  }
  return merged
}

/** The blocks of `whole` that no range covers, newest first. */
export function missingRanges(whole: BlockRange, covered: readonly BlockRange[]): BlockRange[] {
  const missing: BlockRange[] = []
  let next = whole.fromBlock
  for (const { fromBlock, toBlock } of mergeRanges(covered)) {
    if (fromBlock > next) missing.push({ fromBlock: next, toBlock: min(fromBlock - 1n, whole.toBlock) })
    if (toBlock >= next) next = toBlock + 1n
    if (next > whole.toBlock) break
  }
  if (next <= whole.toBlock) missing.push({ fromBlock: next, toBlock: whole.toBlock })
  return missing.filter((range) => range.fromBlock <= range.toBlock).reverse()
}

/** Those of the blocks that no other range covers, in the order of the ranges. */
export function withoutRanges(ranges: readonly BlockRange[], covered: readonly BlockRange[]): BlockRange[] {
  return ranges.flatMap((range) => missingRanges(range, covered))
}

/** The blocks of both, as ordered, disjoint ranges. */
export function commonRanges(ranges: readonly BlockRange[], others: readonly BlockRange[]): BlockRange[] {
  return mergeRanges(withoutRanges(ranges, withoutRanges(ranges, others)))
}

/** How many blocks disjoint ranges have. */
export function countBlocks(ranges: readonly BlockRange[]): bigint {
  return ranges.reduce((sum, { fromBlock, toBlock }) => sum + toBlock - fromBlock + 1n, 0n)
}

/** The same blocks in pieces of at most `size`, newest first. */
export function splitRange({ fromBlock, toBlock }: BlockRange, size: bigint): BlockRange[] {
  const pieces: BlockRange[] = []
  for (let to = toBlock; to >= fromBlock; to -= size) {
    const from = to - size + 1n
    pieces.push({ fromBlock: from > fromBlock ? from : fromBlock, toBlock: to })
  }
  return pieces
}

/** The same blocks as far as they are not above `last`. */
export function rangesUpTo(ranges: readonly BlockRange[], last: bigint): BlockRange[] {
  return ranges
    .filter(({ fromBlock }) => fromBlock <= last)
    .map(({ fromBlock, toBlock }) => ({ fromBlock, toBlock: min(toBlock, last) }))
}

/** Blocks, or slots, by which the address index of a node may lag. */
export const INDEXED_AFTER = 64n

/**
 * Coverage without its newest 64 blocks, which are searched again: nodes update their address index shortly after a
 * block.
 */
export function searchedRanges(coverage: readonly BlockRange[]): BlockRange[] {
  const newest = coverage.at(-1)
  return newest ? rangesUpTo(coverage, newest.toBlock - INDEXED_AFTER) : []
}

const min = (a: bigint, b: bigint) => (a < b ? a : b)
