import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { Pool } from '../../../prices/pool.ts'
import type { SolanaAccount } from '../codec/solana-account.ts'
import type { Accounts } from '../families/account-reads.ts'

/** A pool as its own account shows it. A price needs further accounts, which it names. */
export type PoolHead = {
  address: SolanaAddress
  /** In the order of the program. */
  mints: readonly [SolanaAddress, SolanaAddress]
  /** Depth as far as the pool's own account shows it, to choose among pools of the same kind and tokens. */
  weight(tokenIs0: boolean): bigint
  /** The accounts needed to compute a sale of the first or of the second token. */
  needs(tokenIs0: boolean): readonly SolanaAddress[]
  /**
   * Undefined if nothing can be bought. Throws `UpstreamError('invalid')` for accounts that are not what they should
   * be.
   */
  finish(tokenIs0: boolean, accounts: Accounts, time: number): Pool | undefined
}

/** A program whose pools of two tokens are at addresses that follow from the tokens. */
export type PoolProgram = {
  /** The source name of prices from its pools. */
  source: string
  /** Pools of one kind can be compared by their weight. */
  kind: 'range' | 'pair'
  program: SolanaAddress
  /** Addresses under all known configurations of the program; the mints in the program's order. */
  addresses(mints: readonly [SolanaAddress, SolanaAddress]): SolanaAddress[]
  /** Undefined where the pool is closed to trade. */
  open(account: SolanaAccount, time: number): PoolHead | undefined
}
