import { type BlockRange, mergeRanges, missingRanges } from '../../../domain/block-ranges.ts'
import type { UpstreamError } from '../../../lib/upstream-error.ts'

/** A change of a wallet's native balance that nothing accounts for, as far as the node lets one see. */
type Unexplained = { block: bigint; amountRaw: bigint }

/**
 * How far everything is known that moved native coin to or from a wallet: its own transactions, those without logs and the
 * failed ones included, and what it was sent, also from inside of others. Elsewhere only what logs lead to is known.
 */
export type NativeCoverage = {
  /** `complete`: the whole range is covered. */
  state: 'complete' | 'partial'
  covered: BlockRange[]
  /** Blocks that are not covered because of such a change. */
  unexplained: Unexplained[]
  /** Why it is partial, where a node failed: another time it may be complete. */
  failure?: UpstreamError
}

/** What is known of parts of a range as what is known of it. */
export function joinCoverage(range: BlockRange, parts: readonly Omit<NativeCoverage, 'state'>[]): NativeCoverage {
  const covered = mergeRanges(parts.flatMap((part) => part.covered))
  const isComplete = missingRanges(range, covered).length === 0
  const failure = isComplete ? undefined : parts.find((part) => part.failure)?.failure
  return {
    state: isComplete ? 'complete' : 'partial',
    covered,
    unexplained: parts.flatMap(({ unexplained }) => unexplained),
    ...(failure && { failure }),
  }
}
