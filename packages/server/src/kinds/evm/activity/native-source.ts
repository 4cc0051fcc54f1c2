import type { BlockRange } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { NativeTransfer } from '../../../domain/transaction.ts'
import type { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Found } from './read-transactions.ts'

/** A transaction that a wallet sent, or that moved native coin from or to it. */
export type NativeHit = Found & {
  wallet: EvmAddress
  /** What calls inside it moved from or to the wallet; its own value is not among them. */
  inner: readonly NativeTransfer[]
}

/** `hits` is complete in the ranges of `covered`; `failure` is why that is not the whole range. */
export type FoundNative = { hits: NativeHit[]; covered: BlockRange[]; failure?: UpstreamError }

/** Finds what moved native coin without a node: an explorer's index. Never rejects because of its own failure. */
export type NativeSource = {
  find(search: { wallets: readonly EvmAddress[]; range: BlockRange }): Promise<FoundNative>
}
