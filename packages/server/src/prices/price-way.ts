import type { Address } from '../domain/address.ts'
import type { Decimal } from '../domain/decimal.ts'

/**
 * One figure on the way from a token to USD. `feed`: one that is published; `oracle`: a contract or precompile that tells
 * no time; `pool`: a market on the chain; `markets`: a service that follows markets; `listing`: a service with prices of
 * its own; `set`: the operator.
 */
export type PriceStep = {
  kind: 'feed' | 'oracle' | 'pool' | 'markets' | 'listing' | 'set'
  /** The contract or account that was read; absent where none was. */
  address?: Address
  /** Of `quote` for one unit, before any fee; USD, or what the next step prices, where no quote token is named. */
  rate: Decimal
  quote?: Address
  /** What the quote token was taken to be worth. */
  quoteUsd?: Decimal
  block?: bigint
  /** Unix seconds of the figure itself. */
  updatedAt?: number
  /** How long the figure may stand, by its publisher. */
  heartbeatSeconds?: number
  /** USD on the quote side of a pool. */
  depthUsd?: Decimal
  feeMillionths?: number
}

/** Why a source does not use a figure that it found. */
export type WayRefusal = 'stale' | 'invalid' | 'thin' | 'strayed' | 'unsellable'

/** A way in which a source can price a token, used or not. */
export type PriceWay = {
  token: Address
  /** As in `Price`. */
  source: string
  /** USD per unit, for an amount that moves no market. */
  usd: Decimal
  path: readonly PriceStep[]
  /** Of 1, as in `Price`; 0 for what is refused. */
  confidence: number
  refusal?: WayRefusal
}

/** Takes note of what sources find, where somebody asks why a price is what it is. */
export type Witness = (way: PriceWay) => void
