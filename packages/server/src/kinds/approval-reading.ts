import type { Address } from '../domain/address.ts'
import type { Approval } from '../domain/approval.ts'
import type { BlockRange } from '../domain/block-ranges.ts'
import type { WalletOnChain } from '../domain/wallet-on-chain.ts'
import type { UpstreamError } from '../lib/upstream-error.ts'
import type { KnownBlock, PresentChain } from './seen-block.ts'

/** The approvals found and the ranges searched; `missing` ranges were not searched, because of `failure`. */
export type FoundApprovals = {
  approvals: Approval[]
  covered: readonly BlockRange[]
  missing: readonly BlockRange[]
  failure?: UpstreamError
}

/** Allowances of wallets on chains that have them. Every function rejects with `UpstreamError`. */
export type ApprovalReading = {
  head(chain: string): Promise<KnownBlock>
  present(chain: string): PresentChain
  /** The allowances that the wallet has set in the range, oldest first. */
  find(of: WalletOnChain, range: BlockRange): Promise<FoundApprovals>
  /** In the order asked. */
  blocks(chain: string, numbers: readonly bigint[]): Promise<KnownBlock[]>
  /** What the wallet has of tokens, in base units; a token whose balance cannot be read is absent. */
  balances(of: WalletOnChain, tokens: readonly Address[]): Promise<ReadonlyMap<Address, bigint>>
}
