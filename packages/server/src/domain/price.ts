import type { Address } from './address.ts'
import type { Decimal } from './decimal.ts'

export type UsdPrice = {
  usd: Decimal
  source: string
}

export type Price = UsdPrice & {
  chain: string
  token: Address
  /** 0 to 1: an oracle that passed its checks. */
  confidence: number
  /** Block or slot, on chain. */
  block?: bigint
  /** Unix seconds of the figure. */
  asOf?: number
}
