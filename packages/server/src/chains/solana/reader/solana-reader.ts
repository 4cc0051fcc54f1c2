import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { SolanaAccount } from '../codec/solana-account.ts'

/** `bytes`: base58 address or discriminator. */
export type AccountFilter = { offset: number; bytes: SolanaAddress } | { dataSize: number }

export type TokenAccount = {
  address: SolanaAddress
  program: SolanaAddress
  mint: SolanaAddress
  amountRaw: bigint
  frozen: boolean
}

/** `time`: Unix seconds. */
export type SolanaClock = { slot: bigint; epoch: bigint; time: number }

/**
 * Later batches never see an older slot. Rejects with `UpstreamError`: `not-allowed` for what an endpoint does not
 * offer.
 */
export type SolanaReader = {
  /** In the order asked. */
  accounts(addresses: readonly SolanaAddress[]): Promise<(SolanaAccount | null)[]>
  /** Both token programs, empty accounts included. */
  tokenAccounts(owner: SolanaAddress): Promise<TokenAccount[]>
  /** `head`: first bytes of each account. */
  programAccounts(program: SolanaAddress, filters: readonly AccountFilter[], head?: number): Promise<SolanaAccount[]>
  clock(): Promise<SolanaClock>
}
