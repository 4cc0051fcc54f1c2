import type { Exchange as CcxtExchange } from 'ccxt'
import { pagesOf } from '../lib/pages.ts'
import { toAmount } from './account-reader.ts'
import type { ExchangeQuote } from './exchange.ts'

/** Each is quoted only in earlier ones, so no price refers to itself. */
const QUOTE_CODES = ['USD', 'USDT', 'USDC', 'EUR', 'BTC', 'ETH']

/** Keeps the URL short. */
const MAX_SYMBOLS = 200

type Market = { symbol: string; quote: string; isOpen: boolean }

export function chooseMarkets(
  codes: Iterable<string>,
  find: (symbol: string) => Market | undefined,
): Map<string, Market> {
  const chosen = new Map<string, Market>()
  const wanted = [...codes]
  for (const code of wanted) {
    const rank = QUOTE_CODES.indexOf(code)
    const quotes = rank === -1 ? QUOTE_CODES : QUOTE_CODES.slice(0, rank)
    const market = quotes.map((quote) => find(`${code}/${quote}`)).find((found) => found?.isOpen)
    if (!market || chosen.has(code)) continue
    chosen.set(code, market)
    wanted.push(market.quote)
  }
  return chosen
}

/** `client` has loaded its markets and carries no key. */
export async function readQuotes(client: CcxtExchange, codes: Iterable<string>): Promise<ExchangeQuote[]> {
  if (client.has['fetchTickers'] !== true) return []
  const markets = chooseMarkets(codes, (symbol) => {
    const market = client.markets?.[symbol]
    if (!market) return undefined
    return { symbol, quote: market.quote, isOpen: market.spot && market.active !== false }
  })
  const symbols = [...markets.values()].map(({ symbol }) => symbol)
  const prices = new Map<string, unknown>()
  for (const page of pagesOf(symbols, MAX_SYMBOLS)) {
    const tickers = await client.fetchTickers(page)
    for (const [symbol, ticker] of Object.entries(tickers)) prices.set(symbol, ticker.last)
  }
  return [...markets].flatMap(([code, { symbol, quote }]) => {
    const price = toAmount(String(prices.get(symbol)))
    return price?.gt(0) ? [{ symbol: code.toUpperCase(), quote: quote.toUpperCase(), price }] : []
  })
}
