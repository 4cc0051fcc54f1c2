import type { Address } from '../address.ts'
import type { Decimal } from '../decimal.ts'

/** What a movement did to cost. Both in USD; null = unknown. */
export type MovementResult = {
  /** What the units cost that came or went; of a debt, what was received for it. Never negative. */
  costBasis: Decimal | null
  /** Realised by this movement; zero unless it is a disposal. */
  closedPnl: Decimal | null
}

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
}

/** Income and expense of a wallet on one UTC day, in USD. */
export type DayFigures = { wallet: Address; day: string; income: Decimal; expense: Decimal }
