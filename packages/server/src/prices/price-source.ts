import type { Address } from '../domain/address.ts'
import type { Decimal } from '../domain/decimal.ts'
import type { Price } from '../domain/price.ts'
import type { Token } from '../domain/token.ts'
import type { Chain } from '../kinds/chain.ts'
import type { UpstreamError } from '../lib/upstream-error.ts'

/** A token to price, with how much of it is held: a pool pays less for more. */
export type PriceRequest = { token: Token; amountRaw: bigint }

/** What one source says of a token. */
export type Quote = {
  /** Per unit, for an amount that moves no market. */
  price: Price
  /** USD that the market would pay for `amountRaw` (> 0) in one sale. Absent where the figure holds for any amount (oracles). */
  proceeds?(amountRaw: bigint): Decimal
  /** Unix seconds after which it was never another, up to the block that was read. Absent where any block may change it. */
  changedAt?: number
}

/** What the tokens that others are traded against are worth, from the sources that need no pool. */
export type Anchors = {
  /** A source is expected to know it, so that no pool need be read for it. */
  expects(token: Address): boolean
  price(token: Token): Promise<Price | undefined>
}

/** `R`: how the chain is read. */
export type PriceScope<R> = {
  chain: Chain
  reader: R
  anchors: Anchors
  /**
   * The wallet whose tokens are priced: what it owns of a pool is no market for what it holds, and an unlisted token is
   * worth what a pool pays only where the wallet can send it there. Without it nobody in particular sells.
   */
  owner?: Address
  /** Unix seconds of the past block that the reader was opened at: what is known of the present alone does not count. */
  asOf?: number
  /** False: a few tokens alone will be asked for, so that nothing is read before it is. */
  readAhead?: false
  /** Failures that are no fault of a source, and are not logged as one. */
  isExpected?(error: unknown): boolean
  /** Errors that say that there is no price, now and at any time: no failure, and other sources are asked. */
  isLasting?(error: unknown): boolean
}

/**
 * Where prices come from. `open` is called when a read of a chain starts, so that a source on the chain can issue its
 * wallet-independent reads in the first wave. One that reads no chain is a `PriceSource<unknown>` and serves every kind of chain.
 */
export type PriceSource<R> = {
  readonly name: string
  /** It never knows a token that it has no row of. */
  readonly byRow?: true
  open(scope: PriceScope<R>): PriceQuery
}

export type PriceQuery = {
  /** The source has a row for the token: later sources are asked only if it fails. Decided without I/O. */
  expects(token: Address): boolean
  /**
   * Issues its reads before it first waits, so that they leave with the other reads of the tick. A token that it does not
   * know is left out; one that it should know and cannot tell is an error. Rejects when the source as a whole failed.
   */
  quote(tokens: readonly Token[]): Promise<ReadonlyMap<Address, Quote | UpstreamError>>
}

/** The addresses under which rows may name a token: the native coin and its wrapped form are worth the same. */
export function sameCoin({ native, wrappedNative }: Chain, token: Address): Address[] {
  if (wrappedNative === null) return [token]
  if (token === native.address) return [token, wrappedNative]
  return token === wrappedNative ? [token, native.address] : [token]
}
