import type { Address } from '../../domain/address.ts'
import type { WalletTransaction } from '../../domain/transaction.ts'
import type { Searched } from '../coverage/coverage.ts'
import type { IdleBlocks } from './group-store.ts'
import type { SearchedBlocks } from './history-store.ts'

/**
 * Stores some hundred transactions, with their charge if there is one; `searched`: blocks that have no other
 * transactions.
 */
export type SaveFound = (
  of: Searched,
  found: readonly WalletTransaction[],
  searched: SearchedBlocks | undefined,
) => Promise<void>

/** Stores that nothing happened to wallets of a chain. Skips and returns the wallets for which this is wrong. */
export type SaveIdle = (chain: string, idle: ReadonlyMap<Address, IdleBlocks>) => Promise<readonly Address[]>

export type FailWallet = (wallet: Address, error: unknown) => void

/** As `save` until the signal aborts; then nothing more is stored, which ends the search. */
export function unlessAborted<A extends unknown[], R>(signal: AbortSignal, save: (...found: A) => Promise<R>) {
  return async (...found: A): Promise<R> => {
    signal.throwIfAborted()
    return save(...found)
  }
}

export type Saves = { save: SaveFound; saveIdle: SaveIdle }

/** Continues wallets' histories on a chain up to its newest block, also after a reorg of stored blocks. */
export type WalletHistory<A extends Address = Address> = {
  /** Rejects with `UpstreamError` when the chain cannot be read; what was found until then is stored. */
  bringUpToDate(of: Searched<A>, save: SaveFound): Promise<void>
  /**
   * As `bringUpToDate`, for wallets whose history was complete before. They share requests where possible, and wallets
   * without activity are stored together if the kind of chain allows it. `fail` is called for each wallet that fails
   * alone, and the others continue; if it throws, the search ends. Rejects with an error that concerns all wallets.
   */
  follow(chain: string, wallets: readonly A[], saves: Saves, fail: FailWallet): Promise<void>
}

/** Selects the history by the kind of chain. */
export function chooseHistory(historyOf: (chain: string) => WalletHistory): WalletHistory {
  return {
    bringUpToDate: (searched, save) => historyOf(searched.chain).bringUpToDate(searched, save),
    follow: (chain, wallets, saves, fail) => historyOf(chain).follow(chain, wallets, saves, fail),
  }
}
