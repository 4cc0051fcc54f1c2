import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { Pool } from '../../../prices/pool.ts'
import { type AccountLayout, invalid, openAccount } from '../codec/account-data.ts'
import { TOKEN_PROGRAMS } from '../codec/mint.ts'
import type { SolanaAccount } from '../codec/solana-account.ts'

/** Accounts that were asked for, by address; null where there is none. */
export type Accounts = ReadonlyMap<SolanaAddress, SolanaAccount | null>

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

const vaultLayout: AccountLayout = { what: 'vault of a pool', programs: TOKEN_PROGRAMS, minLength: 72 }
const VAULT_AMOUNT = 64

/** What a pool's token account of a mint holds. */
export function vaultBalance(address: SolanaAddress, mint: SolanaAddress, accounts: Accounts): bigint {
  const account = accounts.get(address)
  if (!account) throw invalid(vaultLayout.what, address, 'is missing')
  const data = openAccount(account, vaultLayout)
  if (data.key(0) !== mint) throw invalid(vaultLayout.what, address, 'is of another mint')
  return data.u64(VAULT_AMOUNT)
}
