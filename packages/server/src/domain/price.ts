import type { Address } from './address.ts'
import type { Decimal } from './decimal.ts'

/** What one unit of a token is worth in USD, and who says so. */
export type Price = {
  chain: string
  token: Address
  usd: Decimal
  /** `override`, `receipt`, `aave`, `chainlink`, `hypercore`, `pyth`, `uniswap_v2`, `uniswap_v3`, `orca`, `raydium_clmm`, `raydium_cpmm`, `defillama`, `coingecko`, `jupiter`. */
  source: string
  /** 0..1: 1 for an oracle that passed its checks, lower for a shallow pool or a source's own doubt. */
  confidence: number
  /** Block or slot the figure was read at, for sources on the chain. */
  block?: bigint
  /** Unix seconds of the figure itself (a feed's `updatedAt`, an API's time). */
  asOf?: number
}
