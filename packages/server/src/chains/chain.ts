import type { Address } from '../domain/address.ts'
import type { EvmAddress } from '../domain/evm-address.ts'

/** Blocks below the head, replaceable by a reorg. */
export const FINALITY = 64
export const BLOCK_SECONDS = 6

export type Chain = {
  key: string
  aliases?: readonly string[]
  family: string
  /** Decimal string. */
  chainId: string
  name: string
  /** `address`: where a token's is expected. */
  native: { address: Address; symbol: string; name: string; decimals: number }
  wrappedNative: Address | null
  multicall3: EvmAddress | null
  /** Never scanned, or the coin would count twice. */
  nativeErc20s: readonly EvmAddress[]
  /** Mirror → token. Never scanned, or it would count twice. */
  secondFaces?: Readonly<Record<EvmAddress, EvmAddress>>
  /** `arbsys`: on Arbitrum `block.number` is not the chain's own. */
  blockSource: 'opcode' | 'arbsys'
  /** Hash of the first block if the chain ID is no sufficient identity. */
  genesis: string | null
  /** In blocks, if nodes do not report it. */
  finality: number
  blockSeconds: number
  /** The chain may restart, and blocks may have any time. */
  isLocal: boolean
  /** `#rrggbb` */
  color: string
  /** The identifier is appended. */
  explorer: { token: string; transaction: string; address: string }
  altExplorer: Chain['explorer'] | null
  publicRpcUrls: readonly string[]
  defillama: string | null
  coingecko: string | null
}

export function facesOf({ nativeErc20s, secondFaces }: Chain): EvmAddress[] {
  return [...nativeErc20s, ...(Object.keys(secondFaces ?? {}) as EvmAddress[])]
}

export type OwnChain = {
  key: string
  chainId: number
  name: string
  native: { symbol: string; name?: string | undefined; decimals: number }
  wrappedNative?: Address | undefined
  multicall3?: Address | undefined
  nativeErc20s: readonly Address[]
  finality: number
  blockSeconds: number
  rpcUrls: readonly string[]
  explorer: string
  color: string
  defillama?: string | undefined
  coingecko?: string | undefined
}
