import type { Address } from '../../domain/address.ts'
import type { Position, TokenAmount } from '../../domain/position.ts'
import type { ReadGap } from '../../domain/wallet-read.ts'
import type { KnownTokens } from '../tokens.ts'

/** All tokens of a position. A debt needs a price but no pool would have to take it, so its amount is 0. */
export const amountsOf = ({ supplied, borrowed, rewards }: Position): TokenAmount[] => [
  ...supplied,
  ...rewards,
  ...borrowed.map(({ token }) => ({ token, amountRaw: 0n })),
]

/**
 * Gaps for positions with a token whose decimals cannot be read: they are not shown completely. A token that nothing vouches
 * for is no gap.
 */
export function untold(
  positions: readonly Position[],
  tokens: Pick<KnownTokens, 'find'>,
  trust: { token(address: Address): boolean },
): ReadGap[] {
  return positions
    .filter((position) => amountsOf(position).some(({ token }) => !tokens.find(token) && trust.token(token)))
    .map(({ protocol }) => ({ protocol, reason: 'unreadable' }))
}
