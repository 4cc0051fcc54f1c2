import type { Address } from '../domain/address.ts'
import type { Decimal } from '../domain/decimal.ts'
import type { Price } from '../domain/price.ts'
import type { Token } from '../domain/token.ts'
import type { Chain } from '../kinds/chain.ts'
import { type UpstreamError, upstreamOnly } from '../lib/upstream-error.ts'
import type { Witness } from './price-way.ts'

/** A token to price, with how much of it is held: a pool pays less for more. */
export type PriceRequest = { token: Token; amountRaw: bigint }

/** What one source says of a token. */
export type Quote = {
  /** Per unit, for an amount that moves no market. */
  price: Price
  /** USD that the market would pay for `amountRaw` (> 0) in one sale. Absent where the figure holds for any amount (oracles). */
  proceeds?(amountRaw: bigint): Decimal
  /** Unix seconds since which it has not changed, up to the block that was read. Absent if any block may change it. */
  changedAt?: number
}

/** Prices of the tokens against which others are traded, from the sources that need no pool. */
export type Anchors = {
  /** Whether a source is expected to know the token, so that no pool need be read for it. */
  expects(token: Address): boolean
  price(token: Token): Promise<Price | undefined>
}

/** `R`: how the chain is read. */
export type PriceScope<R> = {
  chain: Chain
  reader: R
  anchors: Anchors
  /**
   * The wallet whose tokens are priced. Its own share of a pool is no market for its holdings, and an unlisted token
   * has a pool's price only if the wallet can send it there. If absent, no particular wallet sells.
   */
  owner?: Address
  /** Unix seconds of the past block that is read: sources that know only the present have no price then. */
  asOf?: number
  /** The wallet is read for the first time: sources may ask ahead for what few wallets hold. */
  isFirst?: true
  /** False if only a few tokens will be asked for: sources then read nothing in advance. */
  readAhead?: false
  /** Is told the ways to each price that is asked for, refused ones too. Absent where nobody asks why. */
  witness?: Witness
  /** Whether an error is not the source's fault; such errors are not logged. */
  isExpected?(error: unknown): boolean
  /** Whether an error means that there is no price at any time. It is not a failure, and other sources are asked. */
  isLasting?(error: unknown): boolean
}

/**
 * A source of prices. `open` is called when a read of a chain starts, so that a source on the chain can issue its
 * wallet-independent reads in the first wave. One that reads no chain is a `PriceSource<unknown>` and serves every kind
 * of chain.
 */
export type PriceSource<R> = {
  readonly name: string
  /** The source knows no token beyond its rows. */
  readonly byRow?: true
  /** Prices are of stored units, as a pool trades them; those of other sources are of shown units. */
  readonly perStored?: true
  open(scope: PriceScope<R>): PriceQuery
}

export type PriceQuery = {
  /** The source has a row for the token: later sources are asked only if it fails. Decided without I/O. */
  expects(token: Address): boolean
  /**
   * Issues its reads before it first waits, so that they leave with the other reads of the tick. Omits a token that it
   * does not know; a token that it should know and cannot price is an error. Rejects if the source as a whole failed.
   */
  quote(tokens: readonly Token[]): Promise<ReadonlyMap<Address, Quote | UpstreamError>>
}

/** The quotes of tokens that are asked for one by one: a failure is an error for its own token only. */
export async function quoteEach(
  tokens: readonly Token[],
  quoteOf: (token: Address) => Promise<Quote | undefined>,
): Promise<Map<Address, Quote | UpstreamError>> {
  const quotes = await Promise.all(
    tokens.map(async ({ address }) => [address, await quoteOf(address).catch(upstreamOnly)] as const),
  )
  return new Map(quotes.flatMap(([address, quote]) => (quote ? [[address, quote] as const] : [])))
}

/** The addresses under which rows may name a token: the native coin and its wrapped form are worth the same. */
export function sameCoin({ native, wrappedNative }: Chain, token: Address): Address[] {
  if (wrappedNative === null) return [token]
  if (token === native.address) return [token, wrappedNative]
  return token === wrappedNative ? [token, native.address] : [token]
}
