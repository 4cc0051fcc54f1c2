import type { SolanaAddress } from '../../../domain/solana-address.ts'

/** `owner`: the program that alone may change the data. */
export type SolanaAccount = {
  address: SolanaAddress
  owner: SolanaAddress
  lamports: bigint
  data: Uint8Array
}
