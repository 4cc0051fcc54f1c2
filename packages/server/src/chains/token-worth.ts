import type { Address } from '../domain/address.ts'
import type { Decimal } from '../domain/decimal.ts'
import type { Price } from '../domain/price.ts'
import type { WalletRead } from '../domain/wallet-read.ts'

type TokensRead = Pick<WalletRead, 'block' | 'blockTime' | 'tokens' | 'prices' | 'gaps'>

/** Rejects with `UpstreamError`, `not-allowed` for a disabled chain. `before`: prices to keep where a source fails. */
export type ReadTokens = (
  chain: string,
  amounts: ReadonlyMap<Address, Decimal>,
  before?: readonly Price[],
) => Promise<TokensRead>
