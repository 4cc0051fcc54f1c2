/** Both inclusive. */
export type BlockRange = { fromBlock: bigint; toBlock: bigint }

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

/** Returns the newest first. */
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

export function withoutRanges(ranges: readonly BlockRange[], covered: readonly BlockRange[]): BlockRange[] {
  return ranges.flatMap((range) => missingRanges(range, covered))
}

export function commonRanges(ranges: readonly BlockRange[], others: readonly BlockRange[]): BlockRange[] {
  return mergeRanges(withoutRanges(ranges, withoutRanges(ranges, others)))
}

/** Requires disjoint ranges. */
export function countBlocks(ranges: readonly BlockRange[]): bigint {
  return ranges.reduce((sum, { fromBlock, toBlock }) => sum + toBlock - fromBlock + 1n, 0n)
}

/** Returns the newest first. */
export function splitRange({ fromBlock, toBlock }: BlockRange, size: bigint): BlockRange[] {
  const pieces: BlockRange[] = []
  for (let to = toBlock; to >= fromBlock; to -= size) {
    const from = to - size + 1n
    pieces.push({ fromBlock: from > fromBlock ? from : fromBlock, toBlock: to })
  }
  return pieces
}

export function rangesUpTo(ranges: readonly BlockRange[], last: bigint): BlockRange[] {
  return ranges
    .filter(({ fromBlock }) => fromBlock <= last)
    .map(({ fromBlock, toBlock }) => ({ fromBlock, toBlock: min(toBlock, last) }))
}

export const INDEXED_AFTER = 64n

/** Drops the newest 64 blocks: nodes update their address index after a block. */
export function searchedRanges(coverage: readonly BlockRange[]): BlockRange[] {
  const newest = coverage.at(-1)
  return newest ? rangesUpTo(coverage, newest.toBlock - INDEXED_AFTER) : []
}

const min = (a: bigint, b: bigint) => (a < b ? a : b)
