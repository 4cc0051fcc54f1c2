import type { Decimal } from '../domain/decimal.ts'
import type { Price } from '../domain/price.ts'
import type { Token } from '../domain/token.ts'
import type { UpstreamReason } from '../lib/upstream-error.ts'
import type { PriceWay } from './price-way.ts'

export type FactsFailure = UpstreamReason | 'refused'

export type SourceOutcome = { source: string; outcome: 'answered' | 'unknown' | FactsFailure }

export type PriceFacts = {
  token: Token
  price: Price | undefined
  /** Up to USD, used ways first. */
  ways: readonly PriceWay[]
  /** In the operator's order. */
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
