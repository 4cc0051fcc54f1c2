import type { Address } from '../address.ts'
import type { Decimal } from '../decimal.ts'
import type { Movement, TransactionType } from '../transaction.ts'

/** A zero movement with an ID names the leg's position. */
export type EntryMovement = Movement & {
  /** Stored token units, signed. */
  quantity: Decimal
  /** Shown units per stored unit. Null or absent: the same. */
  multiplier?: Decimal | null
  /** USD per unit; null: unpriced. */
  price: Decimal | null
  /** Equal for a coin on all chains, and for its wrapped form if both count as one. */
  identity: string
  /** Grows without transfers: an excess that leaves is interest. */
  rebasing?: boolean
  /** Earlier movements may be missing: the pool's cost becomes unknown. */
  doubted?: boolean
  /** Its base units differ from the coin's. */
  gasInToken?: boolean
  /** A sale for an unknown price. */
  unpaid?: boolean
}

/** Sorted by (time, chain, block, index, wallet); those of one transaction are adjacent. */
export type Entry = {
  wallet: Address
  chain: string
  /** Unix seconds. */
  time: number
  /** Null: a reconciliation. */
  transaction: string | null
  /** Null: a reconciliation. */
  type: TransactionType | null
  /** Names the position of a deposit without a receipt. Null: the counterparty does. */
  protocol: string | null
  movements: readonly EntryMovement[]
}
