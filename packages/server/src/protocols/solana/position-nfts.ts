import type { SolanaAddress } from '../../domain/solana-address.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { HeldMint } from './solana-family.ts'

/** Any of them may be a position, and NFTs can be sent to a wallet unasked: reading them must end. */
const MAX_NFTS = 2_000

/** The mints of a wallet's NFTs. A wallet with more than 2,000 is unreadable to the protocols that make positions of them. */
export function nftMints(held: readonly HeldMint[]): SolanaAddress[] {
  const mints = held.filter(({ amountRaw, decimals }) => amountRaw === 1n && decimals === 0).map(({ mint }) => mint)
  if (mints.length > MAX_NFTS) {
    throw new UpstreamError('invalid', `the wallet has ${mints.length} NFTs, too many to look for positions among them`)
  }
  return mints
}
