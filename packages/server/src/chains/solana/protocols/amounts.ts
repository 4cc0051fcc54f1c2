import type { TokenAmount } from '../../../domain/position.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { Receipt } from './adapter.ts'

export const dividedUp = (value: bigint, by: bigint): bigint => (value + by - 1n) / by

export const positive = (value: bigint): bigint => (value > 0n ? value : 0n)

/** One amount per token. */
export function totalsOf(amounts: readonly TokenAmount[]): TokenAmount[] {
  const totals = new Map<SolanaAddress, bigint>()
  for (const { token, amountRaw } of amounts) totals.set(token, (totals.get(token) ?? 0n) + amountRaw)
  return [...totals].map(([token, amountRaw]) => ({ token, amountRaw }))
}

type Pair<T> = readonly [T, T]

export const pairOf = (tokens: Pair<SolanaAddress>, amounts: Pair<bigint>): TokenAmount[] => [
  { token: tokens[0], amountRaw: amounts[0] },
  { token: tokens[1], amountRaw: amounts[1] },
]

/** Rounded down. Nothing if there are no shares. */
export const shareIn = (token: SolanaAddress, total: bigint, shares: bigint): Receipt => ({
  decompose: (amountRaw) => [{ token, amountRaw: shares === 0n ? 0n : (amountRaw * total) / shares }],
})

/** `price`: of a whole token. `weight`: in one unit for all sides. */
export type WeightedSide = { token: SolanaAddress; amountRaw: bigint; decimals: number; price: bigint; weight: bigint }

/** Health factor with 18 decimals; undefined without debt. */
export function lendingSides(supplied: readonly WeightedSide[], borrowed: readonly WeightedSide[]) {
  const most = Math.max(...[...supplied, ...borrowed].map(({ decimals }) => decimals))
  const weighted = (sides: readonly WeightedSide[]) =>
    sides.reduce((total, { amountRaw, decimals, price, weight }) => {
      return total + amountRaw * price * weight * 10n ** BigInt(most - decimals)
    }, 0n)
  const debt = weighted(borrowed)
  return {
    supplied: supplied.map(amountOf),
    borrowed: borrowed.map(amountOf),
    ...(debt !== 0n && { healthFactorRaw: (weighted(supplied) * 10n ** 18n) / debt }),
  }
}

const amountOf = ({ token, amountRaw }: WeightedSide): TokenAmount => ({ token, amountRaw })
