import { ZERO } from '../../domain/decimal.ts'
import { CEX, symbolToken, type VirtualHolding, type VirtualRead } from '../../domain/virtual-read.ts'
import type { ReadGap } from '../../domain/wallet-read.ts'
import type { ExchangeBalance, ExchangeCredentials, ExchangeGap, Exchanges } from '../../exchanges/exchange.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { PriceCoins } from './coin-prices.ts'
import type { ExchangeLink } from './exchange-links.ts'

export type ReadExchange = ReturnType<typeof createReadExchange>

/**
 * Keeps an unavailable part or price of the read `before`. Rejects with `UpstreamError`, and as `openCredentials` does.
 */
export function createReadExchange({
  exchanges,
  openCredentials,
  priceCoins,
}: {
  exchanges: Exchanges
  openCredentials(link: ExchangeLink): Promise<ExchangeCredentials>
  priceCoins: PriceCoins
}) {
  return async function readExchange(link: ExchangeLink, before?: VirtualRead): Promise<VirtualRead> {
    const exchange = await exchanges.find(link.exchange)
    if (!exchange) throw new UpstreamError('not-allowed', `${link.exchange} is not a supported exchange`)
    const { readAt, balances, quotes, gaps } = await exchange.read(await openCredentials(link))
    const kept = (before?.holdings ?? []).filter(({ account }) => gaps.some((gap) => gap.account === account))
    const held = [...balances.filter(({ owned, borrowed }) => owned.gt(ZERO) || borrowed.gt(ZERO))]
    const symbols = [...new Set([...held.map(({ symbol }) => symbol), ...kept.map(({ token }) => token.symbol)])]
    const prices = await priceCoins(exchange.key, symbols, quotes)
    const priced = priceHoldings([...held.map(holdingOf), ...kept], prices, before)
    const reasons = new Set([...gaps.map((gap) => reasonOf(gap, kept)), ...priced.gaps])
    return {
      chain: CEX,
      protocol: exchange.key,
      readAt,
      holdings: priced.holdings,
      gaps: [...reasons].map((reason) => ({ protocol: exchange.key, reason })),
    }
  }
}

function holdingOf({ account, symbol, owned, borrowed }: ExchangeBalance): VirtualHolding {
  return { account, token: symbolToken(symbol), owned, borrowed, price: null }
}

function reasonOf({ account, reason }: ExchangeGap, kept: readonly VirtualHolding[]): ReadGap['reason'] {
  return kept.some((holding) => holding.account === account) ? 'stale' : reason
}

function priceHoldings(
  holdings: readonly VirtualHolding[],
  prices: Awaited<ReturnType<PriceCoins>>,
  before: VirtualRead | undefined,
): { holdings: VirtualHolding[]; gaps: ReadGap['reason'][] } {
  const last = new Map(
    (before?.holdings ?? []).flatMap(({ token, price }) => (price ? [[token.symbol, price] as const] : [])),
  )
  const gaps: ReadGap['reason'][] = []
  const priced = holdings.map((holding): VirtualHolding => {
    const { symbol } = holding.token
    const now = prices.get(symbol)
    if (now) return { ...holding, price: { usd: now.usd, source: now.source } }
    const kept = last.get(symbol)
    if (kept) gaps.push('stale')
    return { ...holding, price: kept ?? null }
  })
  return { holdings: priced, gaps }
}
