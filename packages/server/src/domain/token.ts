import type { Address } from './address.ts'

/** `listed`: published or configured. Others count only with a deep price source. */
export type Token<A extends Address = Address> = {
  chain: string
  address: A
  symbol: string
  name: string
  decimals: number
  listed: boolean
  /** Shown units per stored unit. Absent: shown as stored. */
  multiplier?: string
}
