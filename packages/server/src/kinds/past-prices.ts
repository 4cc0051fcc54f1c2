import type { Address } from '../domain/address.ts'
import type { Price } from '../domain/price.ts'

/** `time` in Unix seconds. `amounts`: what moved, as a pool pays less per unit for more. */
export type PastAmounts = { block: bigint; time: number; amounts: ReadonlyMap<Address, bigint> }

/**
 * Prices of a chain's tokens at past blocks, as far as known, in the order asked. Rejects with `UpstreamError` when a
 * source that may know fails. Without a block's state, the sources that need none remain. A price that a feed reports
 * as unchanged is reused for older blocks, so ask for the newest blocks first.
 */
export type PricesAt = (chain: string) => (asked: readonly PastAmounts[]) => Promise<ReadonlyMap<Address, Price>[]>
