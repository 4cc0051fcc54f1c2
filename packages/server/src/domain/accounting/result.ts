import type { Address } from '../address.ts'
import type { Decimal } from '../decimal.ts'
import type { Lot, PoolId } from './state.ts'

/** What a movement did to cost. Both in USD; null = unknown. */
export type MovementResult = {
  /** What the units cost that came or went; of a debt, what was received for it. Never negative. */
  costBasis: Decimal | null
  /** Realised by this movement; zero unless it is a disposal. */
  closedPnl: Decimal | null
}

/** Lots of one asset that were sold. */
export type Sold = Pick<PoolId, 'token' | 'tokenId'> & { lots: readonly Lot[] }

/** A sale: what a movement disposed of. In USD; null = unknown. */
export type Disposal = {
  /** Place of the movement in its entry. */
  movement: number
  /** One asset, or all that lay in a position that was taken whole. */
  sold: readonly Sold[]
  /** What all of it cost. */
  costBasis: Decimal | null
  proceeds: Decimal | null
}

/** Units that were earned. `worth` in USD; null: unpriced, which the books count as nothing. */
type Earning = { movement: number; units: Decimal; worth: Decimal | null }

/** What an entry did, in USD. */
export type EntryResult = {
  /** One for each movement of the entry, in its order. */
  movements: MovementResult[]
  /** Sum over the movements; null when one of them is unknown. */
  closedPnl: Decimal | null
  /** Gas and the fee of a bridge that was crossed; null when one of them has no price. */
  feesUsd: Decimal | null
  income: Decimal
  expense: Decimal
  disposals: Disposal[]
  earnings: Earning[]
  /** Orders of the lots that were acquired; those of units that nobody saw come are not among them. */
  acquired: number[]
}

/** Income and expense of a wallet on one UTC day, in USD. */
export type DayFigures = { wallet: Address; day: string; income: Decimal; expense: Decimal }
