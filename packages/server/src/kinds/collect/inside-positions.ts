import type { Position, TokenAmount } from '../../domain/position.ts'
import type { ReadGap } from '../../domain/wallet-read.ts'
import type { KnownTokens } from '../tokens.ts'

/** All tokens of a position. A debt needs a price but no pool would have to take it, so its amount is 0. */
export const amountsOf = ({ supplied, borrowed, rewards }: Position): TokenAmount[] => [
  ...supplied,
  ...rewards,
  ...borrowed.map(({ token }) => ({ token, amountRaw: 0n })),
]

/** Gaps for positions with a token whose decimals cannot be read: they are not shown completely. */
export function untold(positions: readonly Position[], tokens: Pick<KnownTokens, 'find'>): ReadGap[] {
  return positions
    .filter((position) => amountsOf(position).some(({ token }) => !tokens.find(token)))
    .map(({ protocol }) => ({ protocol, reason: 'unreadable' }))
}
