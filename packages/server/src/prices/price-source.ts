import type { Chain } from '../chains/chain.ts'
import type { EvmReader } from '../chains/evm/evm-reader.ts'
import type { EvmAddress } from '../domain/evm-address.ts'
import type { Price } from '../domain/price.ts'
import type { Token } from '../domain/token.ts'

export type PriceScope = { chain: Chain; reader: EvmReader }

/** A token to price, with how much of it is held: a pool pays less for more. */
export type PriceRequest = { token: Token; amountRaw: bigint }

/**
 * Where prices come from. `open` is called when a read of a chain starts, so that a source on the chain can issue its
 * wallet-independent reads in the first wave; `price` answers for tokens, leaving out what it does not know.
 * A source that fails rejects; the graph goes on with the next one.
 */
export type PriceSource = {
  readonly name: string
  open(scope: PriceScope): PriceQuery
}

export type PriceQuery = {
  price(requests: readonly PriceRequest[]): Promise<ReadonlyMap<EvmAddress, Price>>
}
