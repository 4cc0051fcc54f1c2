import { type Decimal, formatDecimal, roundPrice } from '../../domain/decimal.ts'
import type { ValuedAsset } from '../../domain/valuation.ts'

/** USD per unit by symbol in capitals; null: not known. */
export type CoinRates = ReadonlyMap<string, Decimal | null>

/** Coins whose rate is in every answer. */
const RATED_COINS = ['SOL', 'ETH', 'BTC'] as const

/** Rates in the order of the currencies; `undefined` where no source has one now. Never rejects for a source's failure. */
export type UsdPerEach = (currencies: readonly string[]) => Promise<readonly (Decimal | undefined)[]>

/** What the coins are worth now. */
export async function askCoinRates(usdPerEach: UsdPerEach): Promise<CoinRates> {
  const found = await usdPerEach(RATED_COINS)
  return new Map(RATED_COINS.map((coin, i) => [coin, found[i] ?? null]))
}

/** For past days: only what was held then has a price. */
export const NO_COIN_RATES: CoinRates = new Map(RATED_COINS.map((coin) => [coin, null]))

/**
 * USD per unit of every token, and of the coins. Where two tokens have one symbol, that of the more valuable holding; a token
 * that no list knows is never taken for one that a list knows, nor for a coin. A token without a price leaves a coin's rate.
 */
export function conversionRates(assets: readonly ValuedAsset[], coins: CoinRates): CoinRates {
  const listed = dearest(assets, true).filter(([symbol, usd]) => usd !== null || !coins.get(symbol))
  return new Map([...dearest(assets, false), ...coins, ...listed])
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
