import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { Pool } from '../../../prices/pool.ts'
import type { SolanaAccount } from '../codec/account-data.ts'
import type { Accounts } from '../protocols/account-reads.ts'

export type PoolHead = {
  address: SolanaAddress
  /** In the program's order. */
  mints: readonly [SolanaAddress, SolanaAddress]
  /** Comparable within one `kind` and pair. */
  weight(tokenIs0: boolean): bigint
  needs(tokenIs0: boolean): readonly SolanaAddress[]
  /** Undefined: nothing can be bought. Throws `UpstreamError`. */
  finish(tokenIs0: boolean, accounts: Accounts, time: number): Pool | undefined
}

export type PoolProgram = {
  source: string
  kind: 'range' | 'pair'
  program: SolanaAddress
  addresses(mints: readonly [SolanaAddress, SolanaAddress]): SolanaAddress[]
  /** Undefined: closed to trade. */
  open(account: SolanaAccount, time: number): PoolHead | undefined
}
