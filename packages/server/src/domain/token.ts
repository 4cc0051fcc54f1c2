import type { Address } from './address.ts'

/**
 * Facts about a token, read once. `listed`: on a published list or configured; others count only with a deep price
 * source.
 */
export type Token<A extends Address = Address> = {
  chain: string
  address: A
  symbol: string
  name: string
  decimals: number
  listed: boolean
  /** Shown units per stored unit, as decimal text. Absent where an amount is shown as it is stored. */
  multiplier?: string
}
