import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { SolanaAccount } from '../codec/solana-account.ts'

/** What the accounts of a program are narrowed to: the bytes of an address at an offset, or bytes in base58. */
export type AccountFilter = { offset: number; bytes: SolanaAddress } | { dataSize: number }

/** What an account holds of a mint. `program`: SPL Token's or Token-2022's. A frozen one cannot be moved. */
export type TokenAccount = {
  address: SolanaAddress
  program: SolanaAddress
  mint: SolanaAddress
  amountRaw: bigint
  frozen: boolean
}

/** The cluster's clock, as its sysvar account says. `time`: Unix seconds. */
export type SolanaClock = { slot: bigint; epoch: bigint; time: number }

/**
 * Reads accounts at one commitment. Reads that are issued in one tick leave together, each account once; a later wave never
 * sees a slot older than an earlier one did. Rejects with `UpstreamError`; what an endpoint does not offer is `not-allowed`.
 */
export type SolanaReader = {
  /** In the order asked; null where there is no such account. */
  accounts(addresses: readonly SolanaAddress[]): Promise<(SolanaAccount | null)[]>
  /** Token accounts of an owner, of the SPL Token program and of Token-2022, empty ones too. */
  tokenAccounts(owner: SolanaAddress): Promise<TokenAccount[]>
  /** Accounts of a program that pass every filter; of each only the first `head` bytes, where that is given. */
  programAccounts(program: SolanaAddress, filters: readonly AccountFilter[], head?: number): Promise<SolanaAccount[]>
  clock(): Promise<SolanaClock>
}
