import type { Position, TokenAmount } from '../../domain/position.ts'
import type { ReadGap } from '../../domain/wallet-read.ts'
import type { KnownTokens } from './tokens.ts'

/** Every token of a position. A debt is no supply: it asks for its price, but no pool would have to take it. */
export const amountsOf = ({ supplied, borrowed, rewards }: Position): TokenAmount[] => [
  ...supplied,
  ...rewards,
  ...borrowed.map(({ token }) => ({ token, amountRaw: 0n })),
]

/** Positions with a token of which not even the decimals can be read: they are not shown whole, so that is said. */
export function untold(positions: readonly Position[], tokens: Pick<KnownTokens, 'find'>): ReadGap[] {
  return positions
    .filter((position) => amountsOf(position).some(({ token }) => !tokens.find(token)))
    .map(({ protocol }) => ({ protocol, reason: 'unreadable' }))
}
