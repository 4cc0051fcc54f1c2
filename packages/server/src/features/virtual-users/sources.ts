import type { Db } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { type Decimal, ZERO } from '../../domain/decimal.ts'
import { CEX, symbolToken, type VirtualHolding, type VirtualRead } from '../../domain/virtual-read.ts'
import type { ReadGap } from '../../domain/wallet-read.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { FxRate } from '../../prices/fx-rate.ts'
import { parseSymbolSource } from '../../prices/symbol-prices.ts'
import { type Balance, currentBalances } from './balances.ts'
import { priceCoins } from './coin-prices.ts'
import type { VirtualUsers } from './context.ts'
import { type ExchangeLink, findLink, openCredentials } from './exchange-links.ts'

/** `source` names the stored read. `version` changes with the content. */
export type Source = { source: string; version: string } & (
  | { chain: string; balances: Balance[] }
  | { link: ExchangeLink }
)

const CHAIN = 'chain:'
const EXCHANGE = 'exchange:'
const SYMBOLS = 'symbols'

export function describeSource(source: string): { chain: string; protocol?: string } {
  if (source.startsWith(CHAIN)) return { chain: source.slice(CHAIN.length) }
  return source.startsWith(EXCHANGE) ? { chain: CEX, protocol: source.slice(EXCHANGE.length) } : { chain: CEX }
}

export async function planSources(db: Db, virtualUserId: string): Promise<Source[]> {
  const [balances, link] = await Promise.all([currentBalances(db, virtualUserId), findLink(db, virtualUserId)])
  const byChain = Map.groupBy(balances, ({ asset }) => ('chain' in asset ? asset.chain : CEX))
  const byHand = [...byChain].flatMap(([chain, all]): Source[] => {
    const held = all.filter(({ amount }) => amount.gt(ZERO))
    const latest = all.map(({ change }) => change).toSorted((a, b) => Number(b - a))
    const version = String(latest[0])
    const source = chain === CEX ? SYMBOLS : CHAIN + chain
    return held.length > 0 ? [{ source, version, chain, balances: held }] : []
  })
  return link ? [...byHand, { source: EXCHANGE + link.exchange, version: link.id, link }] : byHand
}

/** Keeps the price of the read `before` if a source fails. Rejects with `UpstreamError` if the chain fails. */
export async function readChain(
  context: VirtualUsers,
  chain: string,
  balances: readonly Balance[],
  before?: VirtualRead,
) {
  const { readTokens, clock } = context
  const amounts = new Map<Address, Decimal>(
    balances.flatMap(({ asset, amount }) => ('contract' in asset ? [[asset.contract, amount] as const] : [])),
  )
  const known = (before?.holdings ?? []).flatMap(({ token: { address }, price }) =>
    price && address ? [{ chain, token: address, ...price, confidence: 1 }] : [],
  )
  const { block, blockTime, tokens, prices, gaps } = await readTokens(chain, amounts, known)
  const priceOf = new Map(prices.map(({ token, usd, source }) => [token, { usd, source }]))
  const holdings = tokens.map(
    ({ address, symbol, name, decimals }): VirtualHolding => ({
      account: 'wallet',
      token: { address, symbol, name, decimals },
      owned: amounts.get(address) ?? ZERO,
      borrowed: ZERO,
      price: priceOf.get(address) ?? null,
    }),
  )
  return { chain, block, blockTime, readAt: clock.now(), holdings, gaps }
}

/** Keeps the price of the read `before` if a source fails. */
export async function readSymbols(context: VirtualUsers, balances: readonly Balance[], before?: VirtualRead) {
  const { priceSymbol, clock } = context
  const gaps = new Set<ReadGap['reason']>()

  async function priceNow(symbol: string, text: string): Promise<VirtualHolding['price']> {
    const last = before?.holdings.find(({ token }) => token.symbol === symbol)?.price ?? null
    const source = parseSymbolSource(text)
    try {
      return (source && (await priceSymbol(symbol, source))) ?? null
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      gaps.add(last ? 'stale' : 'unreadable')
      return last
    }
  }

  const symbolHolding = async (symbol: string, source: string, owned: Decimal): Promise<VirtualHolding> => {
    const price = await priceNow(symbol, source)
    return { account: 'wallet', token: symbolToken(symbol), owned, borrowed: ZERO, price }
  }

  const holdings = await Promise.all(
    balances.flatMap(({ asset, amount }) =>
      'symbol' in asset ? [symbolHolding(asset.symbol, asset.priceSource, amount)] : [],
    ),
  )
  return { chain: CEX, readAt: clock.now(), holdings, gaps: [...gaps].map((reason) => ({ reason })) }
}

/**
 * Keeps an unavailable part or price of the read `before`. Rejects with `UpstreamError`, and as `openCredentials` does.
 */
export async function readExchange(context: VirtualUsers, link: ExchangeLink, before?: VirtualRead) {
  const exchange = await context.exchanges.find(link.exchange)
  if (!exchange) throw new UpstreamError('not-allowed', `${link.exchange} is not a supported exchange`)
  const { readAt, balances, quotes, gaps } = await exchange.read(await openCredentials(context, link))
  const kept = (before?.holdings ?? []).filter(({ account }) => gaps.some((gap) => gap.account === account))
  const held = balances.filter(({ owned, borrowed }) => owned.gt(ZERO) || borrowed.gt(ZERO))
  const symbols = [...new Set([...held.map(({ symbol }) => symbol), ...kept.map(({ token }) => token.symbol)])]
  const prices = await priceCoins(context, exchange.key, symbols, quotes)
  const found = held.map(({ symbol, ...balance }) => ({ ...balance, token: symbolToken(symbol), price: null }))
  const priced = priceHoldings([...found, ...kept], prices, before)
  const isKept = (account: string) => kept.some((holding) => holding.account === account)
  const ofAccounts = gaps.map(({ account, reason }) => (isKept(account) ? 'stale' : reason))
  const reasons = new Set([...ofAccounts, ...priced.gaps])
  return {
    chain: CEX,
    protocol: exchange.key,
    readAt,
    holdings: priced.holdings,
    gaps: [...reasons].map((reason) => ({ protocol: exchange.key, reason })),
  }
}

function priceHoldings(
  holdings: readonly VirtualHolding[],
  prices: ReadonlyMap<string, FxRate>,
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
