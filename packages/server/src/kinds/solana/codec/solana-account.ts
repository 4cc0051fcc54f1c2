import type { SolanaAddress } from '../../../domain/solana-address.ts'

/** An account as a node tells it. `owner` is the program that alone may change its data. */
export type SolanaAccount = {
  address: SolanaAddress
  owner: SolanaAddress
  lamports: bigint
  data: Uint8Array
}
