import type { EvmAddress } from './evm-address.ts'

/** What is known of a token, read once. `listed`: on a published list or configured; unlisted tokens need a price source of depth to count. */
export type Token = {
  chain: string
  address: EvmAddress
  symbol: string
  name: string
  decimals: number
  listed: boolean
}
