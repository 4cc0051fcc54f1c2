import type { Decimal } from '../domain/decimal.ts'
import type { Price } from '../domain/price.ts'
import type { Token } from '../domain/token.ts'
import type { UpstreamReason } from '../lib/upstream-error.ts'
import type { PriceWay } from './price-way.ts'

/** Why a part of an answer is missing; `refused`: the chain itself said no. */
export type FactsFailure = UpstreamReason | 'refused'

/** What a source of prices knows of a token: a figure, nothing, or why it could not tell. */
export type SourceOutcome = { source: string; outcome: 'answered' | 'unknown' | FactsFailure }

/** Everything that is known of a token's price at one moment. */
export type PriceFacts = {
  token: Token
  /** For the amount that was asked about. */
  price: Price | undefined
  /** All the way to USD, those in use and the deepest pools first. */
  ways: readonly PriceWay[]
  /** In the operator's order. */
  sources: readonly SourceOutcome[]
  /** What one unit stands for; empty for a token that is priced by itself. */
  parts: readonly { amount: Decimal; facts: PriceFacts }[]
  /** More stands behind it than was looked into. */
  isCut: boolean
  /** It imitates a listed token or advertises, and never has a price. */
  isSpam: boolean
  /** The chain as it was read. Absent where that failed. */
  block: PricedBlock | undefined
}

/** `time`: Unix seconds. */
export type PricedBlock = { number: bigint; time: number }
