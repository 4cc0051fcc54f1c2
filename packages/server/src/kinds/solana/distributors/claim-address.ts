import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { addressBytes } from '../codec/address-bytes.ts'
import { programAddress } from '../codec/program-address.ts'

/** Where a distributor program keeps what a wallet claimed; there is no such account while it claimed nothing. */
export function claimAddress(
  program: SolanaAddress,
  distributor: SolanaAddress,
  claimant: SolanaAddress,
): SolanaAddress {
  return programAddress(program, ['ClaimStatus', addressBytes(claimant), addressBytes(distributor)])
}
