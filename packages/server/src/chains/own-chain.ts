import type { Address } from '../domain/address.ts'

export type OwnChain = {
  key: string
  chainId: number
  name: string
  native: { symbol: string; name?: string | undefined; decimals: number }
  wrappedNative?: Address | undefined
  multicall3?: Address | undefined
  /** Contracts that show the native coin as a token. */
  nativeErc20s: readonly Address[]
  finality: number
  blockSeconds: number
  rpcUrls: readonly string[]
  explorer: string
  color: string
  defillama?: string | undefined
  coingecko?: string | undefined
}
