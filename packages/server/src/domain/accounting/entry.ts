import type { Address } from '../address.ts'
import type { Decimal } from '../decimal.ts'
import type { Movement, TransactionType } from '../transaction.ts'

/**
 * A movement with its amount in token units and the price at that time. A zero movement with an id names the position
 * that its leg is about: an NFT, or a position that no token stands for.
 */
export type EntryMovement = Movement & {
  /** `amountRaw` in stored token units, with its sign. */
  quantity: Decimal
  /** Shown units per stored unit at that time; null or absent where they are the same. */
  multiplier?: Decimal | null
  /** USD per unit at the time of the entry; null: unpriced. */
  price: Decimal | null
  /** One string for the same coin on every chain, and for a coin and its wrapped form if these are to count as one. */
  identity: string
  /** The balance grows without transfers: if more leaves than ever came, the rest is interest. */
  rebasing?: boolean
  /** Earlier movements of the asset may be missing: the cost of everything in its pool is unknown from here on. */
  doubted?: boolean
  /** Gas that a token paid, whose base units are not those of the chain's coin. */
  gasInToken?: boolean
  /** Given for something that may not be among the movements: a sale for an unknown price. */
  unpaid?: boolean
}

/**
 * What happened to one wallet in one transaction, or what a reconciliation with the chain's balance found. Entries come in
 * the order (time, chain, block, index, wallet); those of one transaction stand together.
 */
export type Entry = {
  wallet: Address
  chain: string
  /** Unix seconds. */
  time: number
  /** Hash of the transaction; null: a reconciliation, which belongs to none. */
  transaction: string | null
  /**
   * Null for a reconciliation. `EXPENSE` counts what is sent as an expense; the type also separates withdrawals from
   * deposits.
   */
  type: TransactionType | null
  /**
   * Key of the protocol that names the position of a deposit without a receipt if no movement does; null: the counterparty
   * names it.
   */
  protocol: string | null
  movements: readonly EntryMovement[]
}
