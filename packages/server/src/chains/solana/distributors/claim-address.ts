import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { addressBytes, programAddress } from '../codec/address.ts'

/** The account does not exist before the first claim. */
export function claimAddress(
  program: SolanaAddress,
  distributor: SolanaAddress,
  claimant: SolanaAddress,
): SolanaAddress {
  return programAddress(program, ['ClaimStatus', addressBytes(claimant), addressBytes(distributor)])
}
