import type { Address } from '../../domain/address.ts'
import type { WalletTransaction } from '../../domain/transaction.ts'
import type { Chain } from '../../kinds/chain.ts'
import type { Searched } from '../coverage/coverage.ts'
import type { IdleBlocks } from './group-store.ts'
import type { SearchedBlocks } from './history-store.ts'

/** Stores some hundred transactions, with what they cost; `searched`: the blocks that they are all of. */
export type SaveFound = (
  of: Searched,
  found: readonly WalletTransaction[],
  searched: SearchedBlocks | undefined,
) => Promise<void>

/** Stores of wallets of a chain that nothing happened; answers those of which it is not so, of which it stores nothing. */
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

/** Searches what wallets did on a chain up to its newest block, from what is stored on, whatever became of that. */
export type WalletHistory<A extends Address = Address> = {
  /** Rejects with `UpstreamError` when the chain cannot be read; what was found until then is stored. */
  bringUpToDate(of: Searched<A>, save: SaveFound): Promise<void>
  /**
   * As `bringUpToDate` for wallets whose history was whole before; they share what can be shared, and those to whom nothing
   * happened are stored together where the kind of chain allows it. `fail` is given the
   * wallets that fail by themselves, which the others go on without; it may throw, which ends the search. Rejects with
   * what fails for all.
   */
  follow(chain: string, wallets: readonly A[], saves: Saves, fail: FailWallet): Promise<void>
}

/** One history of chains of every kind. */
export function chooseHistory(
  of: Readonly<Record<Chain['family'], WalletHistory>>,
  familyOf: (chain: string) => Chain['family'],
): WalletHistory {
  return {
    bringUpToDate: (searched, save) => of[familyOf(searched.chain)].bringUpToDate(searched, save),
    follow: (chain, wallets, saves, fail) => of[familyOf(chain)].follow(chain, wallets, saves, fail),
  }
}
