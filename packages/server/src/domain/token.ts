import type { Address } from './address.ts'

/** What is known of a token, read once. `listed`: on a published list or configured; unlisted tokens need a price source of depth to count. */
export type Token<A extends Address = Address> = {
  chain: string
  address: A
  symbol: string
  name: string
  decimals: number
  listed: boolean
}
