import type { Address } from '../address.ts'
import type { Decimal } from '../decimal.ts'
import type { Movement, TransactionType } from '../transaction.ts'

/**
 * A movement with what accounting needs beside it: how much it is in token units and what a unit was worth then. A movement of
 * nothing of an NFT, in a leg of treatment `move`, names the position that the leg puts into or takes from.
 */
export type EntryMovement = Movement & {
  /** `amountRaw` in token units, with its sign. */
  quantity: Decimal
  /** USD a unit at the time of the entry; null: nobody priced it. */
  price: Decimal | null
  /** One string for the same coin on every chain, and for a coin and its wrapped form if these are to count as one. */
  identity: string
  /** The token's balance grows without transfers: more of it may leave than ever came, the rest being interest. */
  rebasing?: boolean
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
  /** Null for a reconciliation. `EXPENSE` counts what is sent as an expense; withdrawals are told from deposits by it. */
  type: TransactionType | null
  /** Names the position that is meant where a deposit gives no receipt: the key of the protocol; null: the counterparty does. */
  protocol: string | null
  movements: readonly EntryMovement[]
}
