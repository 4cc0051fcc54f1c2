import type { Address } from '../domain/address.ts'
import type { Decimal } from '../domain/decimal.ts'

/**
 * `feed`: published; `oracle`: a contract without a time; `pool`: an on-chain market; `markets`: a service that follows
 * markets; `listing`: a service with its own prices; `set`: the operator.
 */
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
  /** 0 if refused. */
  confidence: number
  refusal?: WayRefusal
}

export type Witness = (way: PriceWay) => void
