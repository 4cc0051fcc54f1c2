import type { Address } from '../domain/address.ts'
import type { Approval } from '../domain/approval.ts'
import type { BlockRange } from '../domain/block-ranges.ts'
import type { WalletOnChain } from '../domain/wallet-on-chain.ts'
import type { UpstreamError } from '../lib/upstream-error.ts'
import type { KnownBlock, PresentChain } from './seen-block.ts'

/** `missing`: not searched, because of `failure`. */
export type FoundApprovals = {
  approvals: Approval[]
  covered: readonly BlockRange[]
  missing: readonly BlockRange[]
  failure?: UpstreamError
}

/** Every function rejects with `UpstreamError`. */
export type ApprovalReading = {
  head(chain: string): Promise<KnownBlock>
  present(chain: string): PresentChain
  /** Oldest first. */
  find(of: WalletOnChain, range: BlockRange): Promise<FoundApprovals>
  /** In the order asked. */
  blocks(chain: string, numbers: readonly bigint[]): Promise<KnownBlock[]>
  /** In base units; unreadable balances are absent. */
  balances(of: WalletOnChain, tokens: readonly Address[]): Promise<ReadonlyMap<Address, bigint>>
}
