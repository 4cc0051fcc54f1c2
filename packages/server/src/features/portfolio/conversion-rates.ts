import { type Decimal, formatDecimal, roundPrice } from '../../domain/decimal.ts'
import type { ValuedAsset } from '../../domain/valuation.ts'
import type { Clock } from '../../lib/clock.ts'
import { createKept } from '../../lib/kept.ts'
import type { WarnLog } from '../../lib/logger.ts'
import { endedWithin } from '../../lib/time-limit.ts'

/** USD per unit by symbol in capitals; null: unknown. */
export type CoinRates = ReadonlyMap<string, Decimal | null>

/** Every answer contains their rates. */
const RATED_COINS = ['SOL', 'ETH', 'BTC'] as const

/** In the order of `currencies`. Does not reject when a source fails. */
export type UsdPerEach = (currencies: readonly string[]) => Promise<readonly (Decimal | undefined)[]>

export async function askCoinRates(usdPerEach: UsdPerEach): Promise<CoinRates> {
  const found = await usdPerEach(RATED_COINS)
  return new Map(RATED_COINS.map((coin, i) => [coin, found[i] ?? null]))
}

/** For past days. */
export const NO_COIN_RATES: CoinRates = new Map(RATED_COINS.map((coin) => [coin, null]))

/** The more valuable holding of a symbol counts; an unlisted one never replaces a listed one or a coin. */
export function conversionRates(assets: readonly ValuedAsset[], coins: CoinRates): CoinRates {
  const listed = dearest(assets, true).filter(([symbol, usd]) => usd !== null || !coins.get(symbol))
  return new Map([...dearest(assets, false), ...coins, ...listed])
}

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

const FRESH_MS = 300_000
const WAIT_MS = 2_000

export type LatestRates = ReturnType<typeof createLatestRates>

export function createLatestRates(usdPerEach: UsdPerEach, clock: Clock, log: WarnLog) {
  const kept = createKept<CoinRates>({ clock, freshMs: FRESH_MS, goodMs: Number.POSITIVE_INFINITY })
  const ask = async (before = NO_COIN_RATES): Promise<CoinRates> => {
    try {
      return await askCoinRates(usdPerEach)
    } catch (err) {
      log.warn({ err }, 'the rates of coins could not be read; the last known rates are kept')
      return before
    }
  }
  const latest = () => kept.find('rates', ask)
  return {
    latest: () => latest() ?? NO_COIN_RATES,
    /** Never rejects. */
    async load(): Promise<void> {
      if (!latest()) await endedWithin(kept.get('rates', ask), WAIT_MS)
    },
  }
}
