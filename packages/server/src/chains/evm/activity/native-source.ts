import type { BlockRange } from '../../../domain/block-ranges.ts'
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
export type FoundNative = { hits: NativeHit[]; covered: BlockRange[]; failure?: UpstreamError }

/** Never rejects for its own failure. */
export type NativeSource = {
  find(search: { wallets: readonly EvmAddress[]; range: BlockRange }): Promise<FoundNative>
}
