import type { TokenCatalog } from '../../catalog/token-catalog.ts'
import type { ReadTokens } from '../../chains/chain-reading.ts'
import { type Decimal, ZERO } from '../../domain/decimal.ts'
import type { ExchangeQuote } from '../../exchanges/exchange.ts'
import type { Clock } from '../../lib/clock.ts'
import { createKept } from '../../lib/kept.ts'
import type { WarnLog } from '../../lib/logger.ts'
import { endedWithin } from '../../lib/time-limit.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { FxRate, FxRates } from '../../prices/fx-rate.ts'
import type { CoinApi } from '../../prices/symbol-prices.ts'

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

async function onMarket(exchange: string, markets: readonly Market[], path: readonly string[], priceOf: PriceOf) {
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

/** CoinGecko IDs. No coin is assumed to hold its peg. */
const STABLECOINS: ReadonlyMap<string, string> = new Map([
  ['DAI', 'dai'],
  ['EURC', 'euro-coin'],
  ['FDUSD', 'first-digital-usd'],
  ['PYUSD', 'paypal-usd'],
  ['TUSD', 'true-usd'],
  ['USDC', 'usd-coin'],
  ['USDP', 'paxos-standard'],
  ['USDT', 'tether'],
])
const VALID_MS = 60_000

export type StablecoinPrices = ReturnType<typeof createStablecoinPrices>

type StablecoinSources = {
  chains: readonly string[]
  catalog: { list: TokenCatalog['list'] }
  readTokens: ReadTokens
  coins: readonly CoinApi[]
  clock: Clock
  log: WarnLog
}

/** A chain's only listed token of the symbol comes first, then APIs in order. */
export function createStablecoinPrices({ chains, catalog, readTokens, coins, clock, log }: StablecoinSources) {
  const kept = createKept<FxRate | undefined>({ clock, freshMs: VALID_MS })

  async function attempt(source: string, symbol: string, ask: () => Promise<FxRate | undefined>) {
    try {
      return await ask()
    } catch (err) {
      if (!(err instanceof UpstreamError)) throw err
      log.warn({ source, symbol, reason: err.message }, 'a source could not price a stablecoin; the next one is asked')
      return undefined
    }
  }

  async function onChain(chain: string, symbol: string): Promise<FxRate | undefined> {
    const listed = catalog.list(chain).filter((token) => token.symbol.toUpperCase() === symbol)
    const [token] = listed
    // Some of several tokens are bridged: they do not price the coin itself.
    if (!token || listed.length > 1) return undefined
    const { prices } = await readTokens(chain, new Map([[token.address, ZERO]]))
    const [price] = prices
    return price && { usd: price.usd, source: price.source }
  }

  async function find(symbol: string, id: string): Promise<FxRate | undefined> {
    for (const chain of chains) {
      const price = await attempt(chain, symbol, () => onChain(chain, symbol))
      if (price) return price
    }
    for (const { name, usdPerCoin } of coins) {
      const usd = await attempt(name, symbol, async () => {
        const found = await usdPerCoin(id)
        return found && { usd: found, source: name }
      })
      if (usd) return usd
    }
    return undefined
  }

  return {
    /** USD per unit. Does not reject if a source fails. */
    async price(symbol: string): Promise<FxRate | undefined> {
      const id = STABLECOINS.get(symbol)
      return id === undefined ? undefined : kept.get(symbol, () => find(symbol, id))
    },
  }
}
