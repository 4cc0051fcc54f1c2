import { type BlockRange, mergeRanges, missingRanges } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { NativeTransfer } from '../../../domain/transaction.ts'
import type { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Found } from './read-transactions.ts'

export type NativeHit = Found & {
  wallet: EvmAddress
  /** Excludes the transaction's own value. */
  inner: readonly NativeTransfer[]
}

/** `hits` is complete in `covered`. `failure`: why that is not the whole range. */
type FoundNative = { hits: NativeHit[]; covered: BlockRange[]; failure?: UpstreamError | undefined }

/** Never rejects for its own failure. */
export type NativeSource = {
  find(search: { wallets: readonly EvmAddress[]; range: BlockRange }): Promise<FoundNative>
}

/** Outside `covered`, only native moves that logs lead to are known. */
export type NativeCoverage = {
  state: 'complete' | 'partial'
  covered: BlockRange[]
  /** Their blocks are not covered. */
  unexplained: { block: bigint; amountRaw: bigint }[]
  /** Node failure; a later attempt may be complete. */
  failure?: UpstreamError | undefined
}

export function joinCoverage(range: BlockRange, parts: readonly Omit<NativeCoverage, 'state'>[]): NativeCoverage {
  const covered = mergeRanges(parts.flatMap((part) => part.covered))
  const isComplete = missingRanges(range, covered).length === 0
  const failure = isComplete ? undefined : parts.find((part) => part.failure)?.failure
  return {
    state: isComplete ? 'complete' : 'partial',
    covered,
    unexplained: parts.flatMap(({ unexplained }) => unexplained),
    failure,
  }
}
