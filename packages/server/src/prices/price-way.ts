import type { Address } from '../domain/address.ts'
import type { Decimal } from '../domain/decimal.ts'
import type { Price } from '../domain/price.ts'
import type { Token } from '../domain/token.ts'
import type { UpstreamReason } from '../lib/upstream-error.ts'

/** `oracle`: without a time. `markets`: a service that follows them. `listing`: a service's own price. `set`: operator. */
export type PriceStep = {
  kind: 'feed' | 'oracle' | 'pool' | 'markets' | 'listing' | 'set'
  address?: Address
  /** In `quote` per unit, before any fee. Without `quote`: in USD, or in what the next step prices. */
  rate: Decimal
  quote?: Address
  quoteUsd?: Decimal
  block?: bigint
  /** Unix seconds. */
  updatedAt?: number
  /** Maximum age of the figure. */
  heartbeatSeconds?: number
  depthUsd?: Decimal
  feeMillionths?: number
}

export type WayRefusal = 'stale' | 'invalid' | 'thin' | 'strayed' | 'unsellable'

export type PriceWay = {
  token: Address
  source: string
  /** Per unit. */
  usd: Decimal
  path: readonly PriceStep[]
  confidence: number
  refusal?: WayRefusal
}

export type Witness = (way: PriceWay) => void

export type FactsFailure = UpstreamReason | 'refused'

export type SourceOutcome = { source: string; outcome: 'answered' | 'unknown' | FactsFailure }

export type PriceFacts = {
  token: Token
  price: Price | undefined
  /** Up to USD, used ways first. */
  ways: readonly PriceWay[]
  sources: readonly SourceOutcome[]
  /** Underlyings of one unit. */
  parts: readonly { amount: Decimal; facts: PriceFacts }[]
  /** Not all parts were read. */
  isCut: boolean
  isSpam: boolean
  block: PricedBlock | undefined
}

/** `time`: Unix seconds. */
export type PricedBlock = { number: bigint; time: number }

const MOST_LINKS = 3
const MOST_WAYS = 20

export function chainedWays(token: Address, ways: readonly PriceWay[]): PriceWay[] {
  const ofToken = ways.filter((way) => way.token === token)
  const own = new Map(ofToken.map((way) => [`${way.source} ${way.path[0]?.address}`, way]))
  const usable = [...own.values()].toSorted((a, b) => Number(a.refusal !== undefined) - Number(b.refusal !== undefined))
  return usable.slice(0, MOST_WAYS).map((way) => ({ ...way, path: pathOf(way, ways, MOST_LINKS) }))
}

function pathOf({ path }: PriceWay, ways: readonly PriceWay[], links: number): PriceStep[] {
  const last = path.at(-1)
  const { quote, quoteUsd } = last ?? {}
  if (quote === undefined || quoteUsd === undefined) return [...path]
  const next = ways.find((way) => way.token === quote && way.refusal === undefined && way.usd.eq(quoteUsd))
  if (next && links > 0) return [...path, ...pathOf(next, ways, links - 1)]
  return [...path, { kind: 'listing', rate: quoteUsd }]
}

export function listingWay(price: Price, ways: readonly PriceWay[]): PriceWay[] {
  const { token, source, usd, confidence, asOf, block } = price
  if (ways.some((way) => way.token === token && way.source === source)) return []
  const when = { ...(asOf !== undefined && { updatedAt: asOf }), ...(block !== undefined && { block }) }
  return [{ token, source, usd, confidence, path: [{ kind: 'listing', rate: usd, ...when }] }]
}
