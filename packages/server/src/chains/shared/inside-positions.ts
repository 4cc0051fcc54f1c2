import type { Address } from '../../domain/address.ts'
import type { Position, TokenAmount } from '../../domain/position.ts'
import type { ReadGap } from '../../domain/wallet-read.ts'
import type { KnownTokens } from '../tokens.ts'

/** Debts have amount 0: they need a price, but no pool takes them. */
export const amountsOf = ({ supplied, borrowed, rewards }: Position): TokenAmount[] => [
  ...supplied,
  ...rewards,
  ...borrowed.map(({ token }) => ({ token, amountRaw: 0n })),
]

/** Untrusted tokens without decimals are no gap. */
export function untold(
  positions: readonly Position[],
  tokens: KnownTokens,
  trust: { token(address: Address): boolean },
): ReadGap[] {
  return positions
    .filter((position) => amountsOf(position).some(({ token }) => !tokens.find(token) && trust.token(token)))
    .map(({ protocol }) => ({ protocol, reason: 'unreadable' }))
}
