import { type Decimal, formatDecimal, roundPrice } from '../../domain/decimal.ts'
import type { ValuedAsset } from '../../domain/valuation.ts'

/** USD per unit by symbol in capitals; null: not known. */
export type CoinRates = ReadonlyMap<string, Decimal | null>

/** Coins whose rate is in every answer. */
export const RATED_COINS = ['SOL', 'ETH', 'BTC'] as const

/** For past days: only what was held then has a price. */
export const NO_COIN_RATES: CoinRates = new Map(RATED_COINS.map((coin) => [coin, null]))

/**
 * USD per unit of every token, and of the coins. Where two tokens have one symbol, that of the more valuable holding; a token
 * that no list knows is never taken for one that a list knows, nor for a coin.
 */
export function conversionRates(assets: readonly ValuedAsset[], coins: CoinRates): CoinRates {
  const rising = assets.toSorted((one, other) => one.value.cmp(other.value))
  const strange = rising.filter(({ token }) => !token.listed).map(rateOf)
  const listed = rising.filter(({ token }) => token.listed).map(rateOf)
  return new Map([...strange, ...coins, ...listed])
}

const rateOf = ({ token, price, priceSource }: ValuedAsset) =>
  [token.symbol.toUpperCase(), priceSource === null ? null : price] as const

export function presentRates(rates: CoinRates): Record<string, string> {
  return Object.fromEntries([...rates].map(([symbol, usd]) => [symbol, usd ? formatDecimal(roundPrice(usd)) : 'N/A']))
}
