import type { Address } from './address.ts'
import type { Decimal } from './decimal.ts'

export type UsdPrice = {
  usd: Decimal
  /** `override`, `receipt`, `aave`, `chainlink`, `hypercore`, `pyth`, `uniswap_v2`, `uniswap_v3`, `orca`, `raydium_clmm`, `raydium_cpmm`, `defillama`, `coingecko`, `jupiter`. */
  source: string
}

export type Price = UsdPrice & {
  chain: string
  token: Address
  /** 0 to 1; 1: an oracle that passed its checks. Lower: a shallow pool, or a source's own doubt. */
  confidence: number
  /** Block or slot, on chain. */
  block?: bigint
  /** Unix seconds of the figure. */
  asOf?: number
}
