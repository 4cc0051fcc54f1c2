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
  return new Map([...dearest(assets, false), ...coins, ...dearest(assets, true)])
}

/** By symbol the most valuable of the tokens that are on lists, or of those that are not. */
function dearest(assets: readonly ValuedAsset[], listed: boolean): [string, Decimal | null][] {
  const bySymbol = new Map<string, ValuedAsset>()
  for (const asset of assets) {
    if ((asset.token.listed === true) !== listed) continue
    const symbol = asset.token.symbol.toUpperCase()
    const known = bySymbol.get(symbol)
    if (!known || asset.value.gt(known.value)) bySymbol.set(symbol, asset)
  }
  return [...bySymbol].map(([symbol, { price, priceSource }]) => [symbol, priceSource === null ? null : price])
}

export function presentRates(rates: CoinRates): Record<string, string> {
  return Object.fromEntries([...rates].map(([symbol, usd]) => [symbol, usd ? formatDecimal(roundPrice(usd)) : 'N/A']))
}
