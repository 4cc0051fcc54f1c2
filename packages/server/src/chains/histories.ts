import type { Address } from '../domain/address.ts'
import type { BlockRange } from '../domain/block-ranges.ts'
import type { WalletTransaction } from '../domain/transaction.ts'
import type { WalletOnChain } from '../domain/wallet-on-chain.ts'
import type { Head, SeenBlock } from './seen-block.ts'

/** `seen`: of the searched fork. They are stored with the blocks, and reveal that the fork was replaced. */
export type SearchedBlocks = {
  ranges: readonly BlockRange[]
  /** Other stored transactions of these blocks are deleted. */
  found?: readonly WalletTransaction[]
  /** Native transfers, which have no log, are also known here. */
  native: readonly BlockRange[]
  tokenAccounts?: readonly Address[]
  seen?: readonly SeenBlock[] | undefined
}

/** `replaced-chain`: stored, but missing in the only endpoint's chain. */
export type HistoryGap = BlockRange & { reason: 'pruned' | 'not-offered' | 'replaced-chain' }

export type IdleBlocks = { ranges: readonly BlockRange[]; native: readonly BlockRange[] }

export type SaveFound = (
  of: WalletOnChain,
  found: readonly WalletTransaction[],
  searched: SearchedBlocks | undefined,
) => Promise<void>

/** Skips and returns wallets that were not idle. */
export type SaveIdle = (
  chain: string,
  idle: ReadonlyMap<Address, IdleBlocks>,
  seen: readonly SeenBlock[],
) => Promise<readonly Address[]>

export type FailWallet = (wallet: Address, error: unknown) => void

export type Saves = { save: SaveFound; saveIdle: SaveIdle }

export type WalletHistory<A extends Address = Address> = {
  /** Rejects with `UpstreamError`; results found before are stored. */
  bringUpToDate(of: WalletOnChain<A>, save: SaveFound): Promise<void>
  /** For complete histories. `fail` reports a wallet that fails alone; if it throws, the search ends. */
  follow(chain: string, wallets: readonly A[], saves: Saves, fail: FailWallet): Promise<void>
}

/** A balance minus the movements and adjustments before it. */
export type Adjustment = { token: Address; amountRaw: bigint; debt: boolean; kind: 'interest' | 'gap' }

/** `time` in Unix seconds. */
export type Ledger = { block: bigint; time: number; sums: Map<Address, bigint> }

export type FindTokenAccounts = (of: WalletOnChain) => Promise<Address[]>

export type StoredHistories = {
  findCoverage(of: WalletOnChain): Promise<BlockRange[]>
  /** Newest first. */
  findNativeHoles(of: WalletOnChain): Promise<BlockRange[]>
  /** Unix seconds. */
  findTime(of: WalletOnChain): Promise<number | undefined>
  /** Never moves the state back. */
  setState(of: WalletOnChain, head: Head): Promise<void>
  setGaps(of: WalletOnChain, gaps: readonly HistoryGap[]): Promise<void>
  markReplaced(of: WalletOnChain, range: BlockRange): Promise<void>
  rewind(of: WalletOnChain, block: bigint): Promise<void>
  readonly group: {
    findCoverages(chain: string, wallets: readonly Address[]): Promise<ReadonlyMap<Address, readonly BlockRange[]>>
    /** Newest first. */
    findSeenBlocks(chain: string, wallets: readonly Address[]): Promise<ReadonlyMap<Address, readonly SeenBlock[]>>
    removeMarks(chain: string, wallets: readonly Address[]): Promise<void>
    setState(chain: string, wallets: readonly Address[], head: Head): Promise<void>
  }
}

export type StoredSums = {
  /** Fungible tokens only; undefined until the search is complete. */
  sums(of: WalletOnChain): Promise<Ledger | undefined>
  /** Makes the sums equal the balances at `block`. Stores nothing if the sums are of another block. */
  settle(
    of: WalletOnChain,
    block: bigint,
    adjust: (ledger: Ledger) => readonly Adjustment[],
  ): Promise<readonly Adjustment[]>
  movedAfter(of: WalletOnChain, block: bigint): Promise<ReadonlySet<Address>>
}
