import { type BlockRange, mergeRanges, missingRanges } from '../../../domain/block-ranges.ts'
import type { UpstreamError } from '../../../lib/upstream-error.ts'

/** A change of a wallet's native balance that nothing explains, as far as the node shows. */
type Unexplained = { block: bigint; amountRaw: bigint }

/**
 * How far everything is known that moved native coin to or from a wallet: its own transactions, including failed ones
 * and those without logs, and what it was sent, also by inner calls. Outside `covered`, only what logs lead to is
 * known.
 */
export type NativeCoverage = {
  /** `complete`: the whole range is covered. */
  state: 'complete' | 'partial'
  covered: BlockRange[]
  /** Unexplained changes; their blocks are not covered. */
  unexplained: Unexplained[]
  /** The node failure that made it partial; a later attempt may be complete. */
  failure?: UpstreamError
}

/** Joins the coverage of parts of a range. */
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
