import type { Address } from '../domain/address.ts'
import type { BlockRange } from '../domain/block-ranges.ts'
import type { WalletTransaction } from '../domain/transaction.ts'
import type { WalletOnChain } from '../domain/wallet-on-chain.ts'
import type { Head, SeenBlock } from './seen-block.ts'

/** Blocks that were searched to the end. */
export type SearchedBlocks = {
  ranges: readonly BlockRange[]
  /** All transactions in these blocks; others stored there are deleted. Absent where only final blocks are stored. */
  found?: readonly WalletTransaction[]
  /** Blocks in which native coin movements, which have no log, are known too. */
  native: readonly BlockRange[]
  /** Token accounts of the wallet that were not stored before, on a chain that has them. */
  tokenAccounts?: readonly Address[]
}

/**
 * Blocks that are not, or not certainly, searched. `pruned`: all endpoints have dropped them. `not-offered`: none offers the
 * method. `replaced-chain`: they are stored, and the only endpoint serves a chain without them.
 */
export type HistoryGap = BlockRange & { reason: 'pruned' | 'not-offered' | 'replaced-chain' }

/** Blocks searched for a wallet, and those of them in which native coin movements, which have no log, are known too. */
export type IdleBlocks = { ranges: readonly BlockRange[]; native: readonly BlockRange[] }

/**
 * Stores some hundred transactions, with their charge if there is one; `searched`: blocks that have no other
 * transactions.
 */
export type SaveFound = (
  of: WalletOnChain,
  found: readonly WalletTransaction[],
  searched: SearchedBlocks | undefined,
) => Promise<void>

/** Stores that nothing happened to wallets of a chain. Skips and returns the wallets for which this is wrong. */
export type SaveIdle = (chain: string, idle: ReadonlyMap<Address, IdleBlocks>) => Promise<readonly Address[]>

export type FailWallet = (wallet: Address, error: unknown) => void

export type Saves = { save: SaveFound; saveIdle: SaveIdle }

/** Continues wallets' histories on a chain up to its newest block, also after a reorg of stored blocks. */
export type WalletHistory<A extends Address = Address> = {
  /** Rejects with `UpstreamError` when the chain cannot be read; what was found until then is stored. */
  bringUpToDate(of: WalletOnChain<A>, save: SaveFound): Promise<void>
  /**
   * As `bringUpToDate`, for wallets whose history was complete before. They share requests where possible, and wallets
   * without activity are stored together if the kind of chain allows it. `fail` is called for each wallet that fails
   * alone, and the others continue; if it throws, the search ends. Rejects with an error that concerns all wallets.
   */
  follow(chain: string, wallets: readonly A[], saves: Saves, fail: FailWallet): Promise<void>
}

/** The difference between a balance and the sum of the movements and adjustments before it. */
export type Adjustment = { token: Address; amountRaw: bigint; debt: boolean; kind: 'interest' | 'gap' }

/** What movements and adjustments add up to by token, up to a block; `time` in Unix seconds. */
export type Ledger = { block: bigint; time: number; sums: Map<Address, bigint> }

/** Finds the token accounts that were ever found to be a wallet's. */
export type FindTokenAccounts = (of: WalletOnChain) => Promise<Address[]>

/** Searched blocks and states of stored histories. */
export type StoredHistories = {
  findCoverage(of: WalletOnChain): Promise<BlockRange[]>
  /** Searched blocks in which native coin may have moved unseen, newest first. */
  findNativeHoles(of: WalletOnChain): Promise<BlockRange[]>
  /** The time of the block up to which a history is stored, Unix seconds. */
  findTime(of: WalletOnChain): Promise<number | undefined>
  /** Notes that the history is stored up to this block. Never moves the state back. */
  setState(of: WalletOnChain, head: Head): Promise<void>
  /** Replaces the gaps of the search before with those of the last one. */
  setGaps(of: WalletOnChain, gaps: readonly HistoryGap[]): Promise<void>
  /** Marks stored blocks that the chain no longer has, as one endpoint says. */
  markReplaced(of: WalletOnChain, range: BlockRange): Promise<void>
  /** Deletes everything from `block` on, which was or may have been on an abandoned fork. */
  rewind(of: WalletOnChain, block: bigint): Promise<void>
  /** The same of several wallets of a chain, in as many statements as of one. */
  readonly group: {
    findCoverages(chain: string, wallets: readonly Address[]): Promise<ReadonlyMap<Address, readonly BlockRange[]>>
    /** Newest first; wallets without any are absent. */
    findSeenBlocks(chain: string, wallets: readonly Address[]): Promise<ReadonlyMap<Address, readonly SeenBlock[]>>
    /** Also removes `replaced-chain` marks: the chain has what is stored. */
    addSeenBlocks(chain: string, wallets: readonly Address[], blocks: readonly SeenBlock[]): Promise<void>
    setState(chain: string, wallets: readonly Address[], head: Head): Promise<void>
  }
}

/** Sums of wallets' stored movements, and the adjustments that their balances require. */
export type StoredSums = {
  /** Sums of fungible tokens only; undefined until the chain was searched to the end. */
  sums(of: WalletOnChain): Promise<Ledger | undefined>
  /**
   * Stores the adjustments that make the sums at a block equal to the balances read there, and returns them. Stores
   * nothing if the sums have moved to another block.
   */
  settle(
    of: WalletOnChain,
    block: bigint,
    adjust: (ledger: Ledger) => readonly Adjustment[],
  ): Promise<readonly Adjustment[]>
  /** Tokens that moved after a block. */
  movedAfter(of: WalletOnChain, block: bigint): Promise<ReadonlySet<Address>>
}
