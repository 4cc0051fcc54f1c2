import { type Decimal, ZERO } from '../../domain/decimal.ts'
import type { ExchangeQuote } from '../../exchanges/exchange.ts'
import { endedWithin } from '../../lib/time-limit.ts'
import type { FxRate, FxRates } from '../../prices/fx-rate.ts'
import type { StablecoinPrices } from './stablecoin-prices.ts'

/** Markets in money first, then in what follows it, then in any coin. */
const PREFERRED = ['USD', 'EUR', 'USDT', 'USDC']
/** A coin quoted in a coin quoted in a coin that is quoted in money. */
const MAX_STEPS = 3
/** Limit per source, so that chains that do not answer cannot delay the read of an exchange. */
const LIMIT_MS = 5_000

/** USD per unit of coins at an exchange, by symbol; coins without a known price are absent. */
export type PriceCoins = (
  exchange: string,
  symbols: readonly string[],
  quotes: readonly ExchangeQuote[],
) => Promise<ReadonlyMap<string, FxRate>>

/**
 * Prices coins by, in this order: currency rates; for a stablecoin its price elsewhere; the exchange's own markets,
 * whatever their quote. No coin is assumed to be worth a dollar.
 */
export function createPriceCoins({
  rates,
  stablecoins,
  limitMs = LIMIT_MS,
}: {
  rates: FxRates
  stablecoins: StablecoinPrices
  limitMs?: number
}): PriceCoins {
  /** Undefined if it takes too long; a later call may find the price. */
  const soon = async (price: Promise<FxRate | undefined>) => ((await endedWithin(price, limitMs)) ? price : undefined)

  return async (exchange, symbols, quotes) => {
    const markets = marketsOf(quotes)
    const priceOf: PriceOf = async (symbol, path) =>
      (await soon(rates.usdPerUnit(symbol))) ??
      (await soon(stablecoins.price(symbol))) ??
      (await onMarket(exchange, markets.get(symbol) ?? [], [...path, symbol], priceOf))
    const priced = await Promise.all(symbols.map(async (symbol) => [symbol, await priceOf(symbol, [])] as const))
    return new Map(priced.flatMap(([symbol, price]) => (price ? [[symbol, price]] : [])))
  }
}

/** `path`: the coins whose price waits for this one. */
type PriceOf = (symbol: string, path: readonly string[]) => Promise<FxRate | undefined>

async function onMarket(
  exchange: string,
  markets: readonly Market[],
  path: readonly string[],
  priceOf: PriceOf,
): Promise<FxRate | undefined> {
  if (path.length > MAX_STEPS) return undefined
  for (const { other, rate } of markets.filter(({ other }) => !path.includes(other))) {
    const price = await priceOf(other, path)
    if (price) return { usd: rate(price.usd), source: exchange }
  }
  return undefined
}

/** Another side of a market, and USD per unit from USD per unit of that other side. */
type Market = { other: string; rate: (usd: Decimal) => Decimal }

type Side = Market & { symbol: string }

/** Every market from both of its sides, the preferred ones first, and of those the ones where the coin itself is priced. */
function marketsOf(quotes: readonly ExchangeQuote[]): ReadonlyMap<string, Market[]> {
  const real = quotes.filter(({ price }) => price.gt(ZERO))
  const priced = real.map(
    ({ symbol, quote, price }): Side => ({ symbol, other: quote, rate: (usd) => usd.times(price) }),
  )
  const inverse = real.map(
    ({ symbol, quote, price }): Side => ({ symbol: quote, other: symbol, rate: (usd) => usd.div(price) }),
  )
  const sides = [...priced, ...inverse].toSorted((a, b) => rank(a.other) - rank(b.other))
  return Map.groupBy(sides, ({ symbol }) => symbol)
}

function rank(symbol: string): number {
  const place = PREFERRED.indexOf(symbol)
  return place < 0 ? PREFERRED.length : place
}
