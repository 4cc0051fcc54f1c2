import type { Address } from '../domain/address.ts'
import { type Decimal, decimal, fromRaw } from '../domain/decimal.ts'
import type { Price } from '../domain/price.ts'
import type { Token } from '../domain/token.ts'
import { UpstreamError } from '../lib/upstream-error.ts'
import { depthRaw, type Pool, payoutRaw, spotRaw, strayed } from './pool.ts'
import type { Anchors, Quote } from './price-source.ts'
import type { PriceWay, WayRefusal, Witness } from './price-way.ts'

export type MarketPool = {
  at: Address
  token: Address
  quote: Address
  pool: Pool
  source: string
  /** More than this sells for nothing. */
  sellableRaw?: bigint
}

export type PoolMarket = {
  anchors: Anchors
  witness?: Witness | undefined
  quoteTokens: readonly Token[]
  /** Null: unknown to pools. */
  traded(token: Token): Address | null
  block(): Promise<bigint>
  /** Issues reads before it waits. An unreadable pool is an error. */
  readPools(tokens: readonly Address[]): Promise<readonly (MarketPool | { token: Address; error: UpstreamError })[]>
}

const MIN_DEPTH_USD = decimal('10000')
/** `confirmed`: by the mean of the last half hour. */
const CONFIDENCE_BY_DEPTH: readonly { depthUsd: Decimal; alone: number; confirmed: number }[] = [
  { depthUsd: decimal('1000000'), alone: 0.9, confirmed: 0.95 },
  { depthUsd: decimal('250000'), alone: 0.8, confirmed: 0.85 },
  { depthUsd: decimal('50000'), alone: 0.7, confirmed: 0.75 },
  { depthUsd: MIN_DEPTH_USD, alone: 0.5, confirmed: 0.55 },
]

/** `proceeds`: payment of the pool after its fee. No holding is worth more. */
export async function quoteByPools(
  market: PoolMarket,
  tokens: readonly Token[],
): Promise<ReadonlyMap<Address, Quote | UpstreamError>> {
  const { anchors, quoteTokens, traded } = market
  const wanted = tokens.flatMap((token) => traded(token) ?? [])
  if (wanted.length === 0) return new Map()
  const unanchored = quoteTokens.filter(({ address }) => !anchors.expects(address))
  const reading = market.readPools([...new Set([...wanted, ...unanchored.map(({ address }) => address)])])
  const pricing = Promise.all(quoteTokens.map((token) => anchors.price(token)))
  const [block, pools, known] = await Promise.all([market.block(), reading, pricing])
  const anchored = new Map(known.flatMap((price) => (price ? [[price.token, price]] : [])))
  const sale = { market, block, pools }
  const prices = new Map(anchored)
  for (const token of unanchored) {
    const quote = quoteFrom(sale, token, token.address, anchored)
    if (quote && 'price' in quote && !prices.has(token.address)) prices.set(token.address, quote.price)
  }
  const quotes = new Map<Address, Quote | UpstreamError>()
  for (const token of tokens) {
    const address = traded(token)
    const quote = address && quoteFrom(sale, token, address, prices)
    if (quote) quotes.set(token.address, quote)
  }
  return quotes
}

type Sale = { market: PoolMarket; block: bigint; pools: Awaited<ReturnType<PoolMarket['readPools']>> }

type Candidate = MarketPool & { quoteDecimals: number; quoteUsd: Decimal; depthUsd: Decimal }

function quoteFrom(
  { market, block, pools }: Sale,
  sold: Token,
  address: Address,
  prices: ReadonlyMap<Address, Price>,
): Quote | UpstreamError | undefined {
  const own = pools.filter(({ token }) => token === address)
  const weighed = own.flatMap((found) => ('error' in found ? [] : candidateOf(found, market.quoteTokens, prices)))
  weighed.sort((a, b) => b.depthUsd.cmp(a.depthUsd))
  for (const each of weighed) market.witness?.(wayOf(each, sold, block))
  const candidates = weighed.filter((each) => each.sellableRaw !== 0n)
  const deep = candidates.filter(({ depthUsd }) => depthUsd.gte(MIN_DEPTH_USD))
  const chosen = deep.find(({ pool }) => !strayed(pool))
  if (chosen) return quoteOf(chosen, sold, block)
  if (deep.length > 0) return new UpstreamError('invalid', 'every deep pool has left its mean of the last half hour')
  const [unread] = own.flatMap((found) => ('error' in found ? [found.error] : []))
  if (unread) return unread
  const sellable = own.filter((found) => 'error' in found || found.sellableRaw !== 0n)
  if (candidates.length < sellable.length) return new UpstreamError('invalid', 'a pool whose quote token has no price')
  return undefined
}

function candidateOf(
  found: MarketPool,
  quoteTokens: readonly Token[],
  prices: ReadonlyMap<Address, Price>,
): Candidate[] {
  const quoteUsd = prices.get(found.quote)?.usd
  const quoteDecimals = quoteTokens.find(({ address }) => address === found.quote)?.decimals
  if (quoteUsd === undefined || quoteDecimals === undefined) return []
  const depthUsd = fromRaw(depthRaw(found.pool), quoteDecimals).times(quoteUsd)
  return [{ ...found, quoteDecimals, quoteUsd, depthUsd }]
}

function rateIn({ pool, quoteDecimals }: Candidate, { decimals }: Token): Decimal {
  return spotRaw(pool)
    .times(decimal(10n ** BigInt(decimals)))
    .times(fromRaw(1n, quoteDecimals))
}

function wayOf(candidate: Candidate, token: Token, block: bigint): PriceWay {
  const { at, quote, pool, source, quoteUsd, depthUsd } = candidate
  const rate = rateIn(candidate, token)
  const refusal = refusalOf(candidate)
  return {
    token: token.address,
    source,
    usd: rate.times(quoteUsd),
    confidence: refusal ? 0 : confidenceIn(pool, depthUsd),
    path: [{ kind: 'pool', address: at, rate, quote, quoteUsd, block, depthUsd, feeMillionths: pool.feeMillionths }],
    ...(refusal && { refusal }),
  }
}

function refusalOf({ pool, depthUsd, sellableRaw }: Candidate): WayRefusal | undefined {
  if (sellableRaw === 0n) return 'unsellable'
  if (depthUsd.lt(MIN_DEPTH_USD)) return 'thin'
  return strayed(pool) ? 'strayed' : undefined
}

function quoteOf(candidate: Candidate, token: Token, block: bigint): Quote {
  const { pool, source, quoteDecimals, quoteUsd, depthUsd, sellableRaw } = candidate
  const usdPerQuoteRaw = quoteUsd.times(fromRaw(1n, quoteDecimals))
  const usd = rateIn(candidate, token).times(quoteUsd)
  return {
    price: { chain: token.chain, token: token.address, usd, source, confidence: confidenceIn(pool, depthUsd), block },
    proceeds: (amountRaw) => {
      const soldRaw = sellableRaw !== undefined && sellableRaw < amountRaw ? sellableRaw : amountRaw
      return payoutRaw(pool, soldRaw).times(usdPerQuoteRaw)
    },
  }
}

function confidenceIn(pool: Pool, depthUsd: Decimal): number {
  const row = CONFIDENCE_BY_DEPTH.find((least) => depthUsd.gte(least.depthUsd))
  if (!row) return 0
  return strayed(pool) === false ? row.confirmed : row.alone
}
