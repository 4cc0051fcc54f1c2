import type { SolanaAddress } from '../../domain/solana-address.ts'

/** An account as a node tells it. `owner` is the program that alone may change its data. */
export type SolanaAccount = {
  address: SolanaAddress
  owner: SolanaAddress
  lamports: bigint
  data: Uint8Array
}

/** What the accounts of a program are narrowed to: the bytes of an address at an offset, or bytes in base58. */
export type AccountFilter = { offset: number; bytes: SolanaAddress } | { dataSize: number }

/** The cluster's clock, as its sysvar account says. `time`: Unix seconds. */
export type SolanaClock = { slot: bigint; epoch: bigint; time: number }

/**
 * Reads accounts at one commitment. Reads that are issued in one tick leave together, each account once; a later wave never
 * sees a slot older than an earlier one did. Rejects with `UpstreamError`; what an endpoint does not offer is `not-allowed`.
 */
export type SolanaReader = {
  /** In the order asked; null where there is no such account. */
  accounts(addresses: readonly SolanaAddress[]): Promise<(SolanaAccount | null)[]>
  /** Token accounts of an owner, of the SPL Token program and of Token-2022. */
  tokenAccounts(owner: SolanaAddress): Promise<SolanaAccount[]>
  /** Accounts of a program that pass every filter. */
  programAccounts(program: SolanaAddress, filters: readonly AccountFilter[]): Promise<SolanaAccount[]>
  clock(): Promise<SolanaClock>
}
