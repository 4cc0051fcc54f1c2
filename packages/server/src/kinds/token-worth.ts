import type { Address } from '../domain/address.ts'
import type { Decimal } from '../domain/decimal.ts'
import type { Price } from '../domain/price.ts'
import type { WalletRead } from '../domain/wallet-read.ts'

/** Tokens as they stand at one block; one that is no token, or cannot be priced, is absent. */
type TokensRead = Pick<WalletRead, 'block' | 'blockTime' | 'tokens' | 'prices' | 'gaps'>

/**
 * Reads what tokens of a chain are and what so much of them is worth, at its latest block. Rejects with `UpstreamError`
 * when the chain cannot be read, `not-allowed` where it is not enabled. `before`: prices to keep where a source fails now.
 */
export type ReadTokens = (
  chain: string,
  amounts: ReadonlyMap<Address, Decimal>,
  before?: readonly Price[],
) => Promise<TokensRead>
