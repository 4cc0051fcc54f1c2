import { addressBytes } from '../../../domain/address-bytes.ts'
import { programAddress } from '../../../domain/program-address.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'

/** Where a distributor program keeps what a wallet claimed; there is no such account while it claimed nothing. */
export function claimAddress(
  program: SolanaAddress,
  distributor: SolanaAddress,
  claimant: SolanaAddress,
): SolanaAddress {
  return programAddress(program, ['ClaimStatus', addressBytes(claimant), addressBytes(distributor)])
}
