import type { Chain } from '../chains/chain.ts'
import type { Address } from '../domain/address.ts'
import type { Decimal } from '../domain/decimal.ts'
import type { Price } from '../domain/price.ts'
import type { Token } from '../domain/token.ts'
import { type UpstreamError, upstreamOnly } from '../lib/upstream-error.ts'
import type { Witness } from './price-way.ts'

export type PriceRequest = { token: Token; amountRaw: bigint }

export type Quote = {
  /** For an amount that moves no market. */
  price: Price
  /** USD for `amountRaw` (> 0) in one sale. Absent: the price holds for any amount. */
  proceeds?(amountRaw: bigint): Decimal
  /** Unix seconds. Absent: any block may change it. */
  changedAt?: number
}

/** From sources that need no pool. */
export type Anchors = {
  expects(token: Address): boolean
  price(token: Token): Promise<Price | undefined>
}

export type PriceScope<R> = {
  chain: Chain
  reader: R
  anchors: Anchors
  /** Its own share of a pool is no market. Unlisted tokens need a pool to which it can send them. */
  owner?: Address
  /** Unix seconds of a past block. Sources of present prices then have none. */
  asOf?: number | Promise<number>
  isFirst?: true
  /** Few tokens follow: sources read nothing in advance. */
  readAhead?: false
  /** Receives refused ways too. */
  witness?: Witness
  /** Not the source's fault. */
  isExpected?(error: unknown): boolean
  /** No price at any time: not a failure. */
  isLasting?(error: unknown): boolean
}

export type SourceTraits = {
  readonly name: string
  /** Knows no token beyond its rows. */
  readonly byRow?: true
  /** Per stored unit, not per shown unit. */
  readonly perStored?: true
}

/** `open` starts wallet-independent reads in the first batch. */
export type PriceSource<R> = SourceTraits & { open(scope: PriceScope<R>): PriceQuery }

export type PriceQuery = {
  /** Without I/O. Later sources are asked only if this one fails. */
  expects(token: Address): boolean
  /** Issues reads before it waits. Omits unknown tokens. Rejects if the whole source failed. */
  quote(tokens: readonly Token[]): Promise<ReadonlyMap<Address, Quote | UpstreamError>>
}

export async function quoteEach(
  tokens: readonly Token[],
  quoteOf: (token: Address) => Promise<Quote | undefined>,
): Promise<Map<Address, Quote | UpstreamError>> {
  const quotes = await Promise.all(
    tokens.map(async ({ address }) => [address, await quoteOf(address).catch(upstreamOnly)] as const),
  )
  return new Map(quotes.flatMap(([address, quote]) => (quote ? [[address, quote] as const] : [])))
}

/** Native and wrapped coins are worth the same. */
export function sameCoin({ native, wrappedNative }: Chain, token: Address): Address[] {
  if (wrappedNative === null) return [token]
  if (token === native.address) return [token, wrappedNative]
  return token === wrappedNative ? [token, native.address] : [token]
}
