import type { Address } from '../address.ts'
import type { Decimal } from '../decimal.ts'
import type { Lot } from './state.ts'

/** In USD. Null: unknown. */
export type MovementResult = {
  /** Cost; of a debt, the amount received. Never negative. */
  costBasis: Decimal | null
  /** Zero unless a disposal. */
  closedPnl: Decimal | null
}

export type Sold = { token: Address; tokenId: bigint | null; lots: readonly Lot[] }

/** In USD. Null: unknown. */
export type Disposal = {
  movement: number
  /** Several for a position taken whole. */
  sold: readonly Sold[]
  costBasis: Decimal | null
  proceeds: Decimal | null
}

/** In USD. */
export type EntryResult = {
  movements: MovementResult[]
  closedPnl: Decimal | null
  /** Gas and bridge fee; null: unpriced. */
  feesUsd: Decimal | null
  income: Decimal
  expense: Decimal
  disposals: Disposal[]
  earnings: { movement: number; units: Decimal; worth: Decimal | null }[]
}

/** UTC, in USD. */
export type DayFigures = { wallet: Address; day: string; income: Decimal; expense: Decimal }
