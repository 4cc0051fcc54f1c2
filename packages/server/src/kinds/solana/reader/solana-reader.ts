import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { SolanaAccount } from '../codec/solana-account.ts'

/** Filters accounts of a program: by base58 bytes at an offset (an address or a discriminator), or by their length. */
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
 * Reads accounts at one commitment. Reads of one tick leave together, each account once. A later wave never sees an
 * older slot than an earlier one. Rejects with `UpstreamError`; with `not-allowed` for what an endpoint does not offer.
 */
export type SolanaReader = {
  /** In the order asked; null where there is no such account. */
  accounts(addresses: readonly SolanaAddress[]): Promise<(SolanaAccount | null)[]>
  /** Token accounts of an owner, of the SPL Token program and of Token-2022, empty ones too. Each owner's are read once. */
  tokenAccounts(owner: SolanaAddress): Promise<TokenAccount[]>
  /** Accounts of a program that pass every filter; of each only the first `head` bytes, where that is given. */
  programAccounts(program: SolanaAddress, filters: readonly AccountFilter[], head?: number): Promise<SolanaAccount[]>
  clock(): Promise<SolanaClock>
}
