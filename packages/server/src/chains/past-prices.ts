import type { Address } from '../domain/address.ts'
import type { Price } from '../domain/price.ts'

/** `time` in Unix seconds. `amounts`: a pool pays less per unit for more. */
export type PastAmounts = { block: bigint; time: number; amounts: ReadonlyMap<Address, bigint> }

/**
 * Rejects with `UpstreamError` when a source that may know fails. Without state, other sources remain. Older blocks
 * reuse an unchanged feed price: ask for the newest first.
 */
export type PricesAt = (chain: string) => (asked: readonly PastAmounts[]) => Promise<ReadonlyMap<Address, Price>[]>
