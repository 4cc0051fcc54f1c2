import { type Decimal, ZERO } from '../../domain/decimal.ts'
import type { ExchangeQuote } from '../../exchanges/exchange.ts'
import { endedWithin } from '../../lib/time-limit.ts'
import type { FxRate, FxRates } from '../../prices/fx-rate.ts'
import type { StablecoinPrices } from './stablecoin-prices.ts'

const PREFERRED = ['USD', 'EUR', 'USDT', 'USDC']
/** Markets between a coin and money. */
const MAX_STEPS = 3
/** Unresponsive chains must not delay an exchange. */
const LIMIT_MS = 5_000

/**
 * USD per unit, by symbol; unpriced coins are absent. Prices by currency rates, a stablecoin's price elsewhere, then the
 * exchange's own markets. Assumes no coin to be worth a dollar.
 */
export async function priceCoins(
  { rates, stablecoins, limitMs = LIMIT_MS }: { rates: FxRates; stablecoins: StablecoinPrices; limitMs?: number },
  exchange: string,
  symbols: readonly string[],
  quotes: readonly ExchangeQuote[],
): Promise<ReadonlyMap<string, FxRate>> {
  const soon = async (price: Promise<FxRate | undefined>) => ((await endedWithin(price, limitMs)) ? price : undefined)
  const markets = marketsOf(quotes)
  const priceOf: PriceOf = async (symbol, path) =>
    (await soon(rates.usdPerUnit(symbol))) ??
    (await soon(stablecoins.price(symbol))) ??
    (await onMarket(exchange, markets.get(symbol) ?? [], [...path, symbol], priceOf))
  const priced = await Promise.all(symbols.map(async (symbol) => [symbol, await priceOf(symbol, [])] as const))
  return new Map(priced.flatMap(([symbol, price]) => (price ? [[symbol, price]] : [])))
}

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

/** `rate`: USD per unit from that of `other`. */
type Market = { other: string; rate: (usd: Decimal) => Decimal }

/** By preference; markets that price the coin itself come first. */
function marketsOf(quotes: readonly ExchangeQuote[]): ReadonlyMap<string, Market[]> {
  const real = quotes.filter(({ price }) => price.gt(ZERO))
  const priced = real.map(({ symbol, quote, price }) => ({
    symbol,
    other: quote,
    rate: (usd: Decimal) => usd.times(price),
  }))
  const inverse = real.map(({ symbol, quote, price }) => ({
    symbol: quote,
    other: symbol,
    rate: (usd: Decimal) => usd.div(price),
  }))
  const sides = [...priced, ...inverse].toSorted((a, b) => rank(a.other) - rank(b.other))
  return Map.groupBy(sides, ({ symbol }) => symbol)
}

const rank = (symbol: string) => [...PREFERRED, symbol].indexOf(symbol)
