import type { Address } from '../domain/address.ts'
import { type Decimal, decimal, fromRaw } from '../domain/decimal.ts'
import { type EvmAddress, evmAddress, NATIVE } from '../domain/evm-address.ts'
import type { Price } from '../domain/price.ts'
import type { Token } from '../domain/token.ts'
import { UpstreamError } from '../lib/upstream-error.ts'
import { depthRaw, type Pool, payoutRaw, spotRaw, strayed } from './pool.ts'
import { type FoundPool, type PoolFactory, readPools } from './pool-lens.ts'
import type { Anchors, PriceScope, PriceSource, Quote } from './price-source.ts'

/** A factory whose pools may price tokens, as a protocol row names it. */
export type PoolFactoryRow = {
  chain: string
  kind: 'uniswap_v2' | 'uniswap_v3'
  factory: string
  /** Of a v2 fork: what a pair keeps of a sale, in millionths; Uniswap's 0.3 % unless said. */
  feeMillionths?: number
  /** Of a v3 fork with other fee tiers than Uniswap's. */
  feeTiers?: readonly number[]
}

/** A token that others are traded in. The wrapped native coin is one on every chain and needs no row. */
export type QuoteTokenRow = { chain: string; token: string; symbol: string; decimals: number }

const V2_FEE_MILLIONTHS = 3_000
const V3_FEE_TIERS = [100, 500, 3_000, 10_000]

/** USD on the quote side below which a pool says nothing: it costs little to make one say anything. */
const MIN_DEPTH_USD = decimal('10000')
/** Confidence in a price by what it takes to move it; more when the half hour's mean agrees with it. */
const CONFIDENCE_BY_DEPTH: readonly { depthUsd: Decimal; alone: number; confirmed: number }[] = [
  { depthUsd: decimal('1000000'), alone: 0.9, confirmed: 0.95 },
  { depthUsd: decimal('250000'), alone: 0.8, confirmed: 0.85 },
  { depthUsd: decimal('50000'), alone: 0.7, confirmed: 0.75 },
  { depthUsd: MIN_DEPTH_USD, alone: 0.5, confirmed: 0.55 },
]

/**
 * Prices a token by its deepest pool against a token whose price is known otherwise. `proceeds` is what that pool would pay,
 * its fee taken off: no holding is worth more than its market could pay.
 */
export function createUniswapPrices(rows: {
  factories: readonly PoolFactoryRow[]
  quoteTokens: readonly QuoteTokenRow[]
}): PriceSource {
  return {
    name: 'uniswap',
    open(scope) {
      const market = marketOf(scope, rows)
      return {
        expects: () => false,
        quote: (tokens: readonly EvmToken[]) => quoteTokens(scope, market, tokens),
      }
    },
  }
}

type EvmToken = Token<EvmAddress>

type Market = { factories: readonly PoolFactory[]; quoteTokens: readonly EvmToken[] }

function marketOf(
  { chain }: PriceScope,
  rows: { factories: readonly PoolFactoryRow[]; quoteTokens: readonly QuoteTokenRow[] },
): Market {
  const factories = new Map<EvmAddress, PoolFactory>()
  for (const row of rows.factories) {
    const factory = evmAddress(row.factory)
    const feeTiers = row.kind === 'uniswap_v2' ? [] : (row.feeTiers ?? V3_FEE_TIERS)
    const feeMillionths = row.feeMillionths ?? V2_FEE_MILLIONTHS
    if (row.chain === chain.key) factories.set(factory, { factory, feeTiers, feeMillionths })
  }
  const tokens = rows.quoteTokens
    .filter((row) => row.chain === chain.key)
    .map((row) => tokenOf(chain.key, evmAddress(row.token), row.symbol, row.decimals))
  const { wrappedNative, native } = chain
  const wrapped = wrappedNative
    ? [tokenOf(chain.key, evmAddress(wrappedNative), `W${native.symbol}`, native.decimals)]
    : []
  return { factories: [...factories.values()], quoteTokens: [...wrapped, ...tokens] }
}

function tokenOf(chain: string, address: EvmAddress, symbol: string, decimals: number): EvmToken {
  return { chain, address, symbol, name: symbol, decimals, listed: true }
}

async function quoteTokens(
  { chain, reader, anchors }: PriceScope,
  market: Market,
  tokens: readonly EvmToken[],
): Promise<ReadonlyMap<EvmAddress, Quote | UpstreamError>> {
  const wrapped = chain.wrappedNative === null ? null : evmAddress(chain.wrappedNative)
  const traded = (token: EvmToken) => (token.address === NATIVE ? wrapped : token.address)
  const wanted = tokens.flatMap((token) => traded(token) ?? [])
  if (market.factories.length === 0 || wanted.length === 0) return new Map()
  // Where no other source is expected to know a quote token, it needs a pool itself, read with the others.
  const unanchored = market.quoteTokens.filter(({ address }) => !anchors.expects(address))
  const reading = readPools(reader, {
    tokens: [...new Set([...wanted, ...unanchored.map(({ address }) => address)])],
    quotes: market.quoteTokens.map(({ address }) => address),
    factories: market.factories,
  })
  const pricing = priceQuoteTokens(market.quoteTokens, anchors)
  const [header, pools, anchored] = await Promise.all([reader.header(), reading, pricing])
  const known = { chain: chain.key, block: header.number, quoteTokens: market.quoteTokens }
  const prices = new Map(anchored)
  for (const token of unanchored) {
    const quote = quoteFrom({ ...known, token, address: token.address, pools, prices: anchored })
    if (quote && 'price' in quote && !prices.has(token.address)) prices.set(token.address, quote.price)
  }
  const quotes = new Map<EvmAddress, Quote | UpstreamError>()
  for (const token of tokens) {
    const address = traded(token)
    const quote = address && quoteFrom({ ...known, token, address, pools, prices })
    if (quote) quotes.set(token.address, quote)
  }
  return quotes
}

async function priceQuoteTokens(quoteTokens: readonly EvmToken[], anchors: Anchors): Promise<Map<Address, Price>> {
  const prices = await Promise.all(quoteTokens.map((token) => anchors.price(token)))
  return new Map(prices.flatMap((price) => (price ? [[price.token, price] as const] : [])))
}

type Candidate = { pool: Pool; quoteDecimals: number; quoteUsd: Decimal; depthUsd: Decimal }

function quoteFrom(known: {
  chain: string
  block: bigint
  token: EvmToken
  /** Under which the token is traded. */
  address: EvmAddress
  pools: readonly FoundPool[]
  quoteTokens: readonly EvmToken[]
  prices: ReadonlyMap<Address, Price>
}): Quote | UpstreamError | undefined {
  const own = known.pools.filter(({ token }) => token === known.address)
  const candidates = own.flatMap((found) => candidateOf(found, known))
  const deep = candidates.filter(({ depthUsd }) => depthUsd.gte(MIN_DEPTH_USD))
  deep.sort((a, b) => b.depthUsd.cmp(a.depthUsd))
  const chosen = deep.find(({ pool }) => !strayed(pool))
  if (chosen) return quoteOf(chosen, known)
  if (deep.length > 0) return new UpstreamError('invalid', 'every deep pool has left its mean of the last half hour')
  if (candidates.length < own.length) return new UpstreamError('invalid', 'a pool whose quote token has no price')
  return undefined
}

function candidateOf(
  { quote, pool }: FoundPool,
  { quoteTokens, prices }: { quoteTokens: readonly EvmToken[]; prices: ReadonlyMap<Address, Price> },
): Candidate[] {
  const quoteUsd = prices.get(quote)?.usd
  const quoteDecimals = quoteTokens.find(({ address }) => address === quote)?.decimals
  if (quoteUsd === undefined || quoteDecimals === undefined) return []
  return [{ pool, quoteDecimals, quoteUsd, depthUsd: fromRaw(depthRaw(pool), quoteDecimals).times(quoteUsd) }]
}

function quoteOf(
  { pool, quoteDecimals, quoteUsd, depthUsd }: Candidate,
  { chain, block, token }: { chain: string; block: bigint; token: EvmToken },
): Quote {
  const usdPerQuoteRaw = quoteUsd.times(fromRaw(1n, quoteDecimals))
  const tokenUnit = decimal(10n ** BigInt(token.decimals))
  const usd = spotRaw(pool).times(tokenUnit).times(usdPerQuoteRaw)
  return {
    price: { chain, token: token.address, usd, source: pool.kind, confidence: confidenceIn(pool, depthUsd), block },
    proceeds: (amountRaw) => payoutRaw(pool, amountRaw).times(usdPerQuoteRaw),
  }
}

function confidenceIn(pool: Pool, depthUsd: Decimal): number {
  const row = CONFIDENCE_BY_DEPTH.find((least) => depthUsd.gte(least.depthUsd))
  if (!row) return 0
  return strayed(pool) === false ? row.confirmed : row.alone
}
