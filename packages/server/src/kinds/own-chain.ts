import type { Address } from '../domain/address.ts'

/** A chain that the operator adds, as the configuration describes it; its kind makes a `Chain` of it. */
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
  /** Base URL. */
  explorer: string
  color: string
  defillama?: string | undefined
  coingecko?: string | undefined
}
