import type { Address } from '../domain/address.ts'
import type { EvmAddress } from '../domain/evm-address.ts'

/** Default number of blocks below the head that a reorg may replace. */
export const FINALITY = 64
/** Two minutes are twenty of these. */
export const BLOCK_SECONDS = 6

/**
 * A chain Coffer knows: identity, display and the facts that reads need. Its kind ships it, or it comes from the
 * configuration.
 */
export type Chain = {
  /** Short identifier used in requests, e.g. `binance`. */
  key: string
  /** Other names that requests may use for it. */
  aliases?: readonly string[]
  /** Name of its kind: which nodes and addresses it has. */
  family: string
  /** Network id as a decimal string. */
  chainId: string
  name: string
  /** `address` stands for the coin wherever a token's is expected. */
  native: { address: Address; symbol: string; name: string; decimals: number }
  wrappedNative: Address | null
  multicall3: EvmAddress | null
  /** Addresses that show the native coin as an ERC-20; never scanned, or it would count twice. */
  nativeErc20s: readonly EvmAddress[]
  /** Maps addresses that mirror another token's balances to that token; never scanned, or it would count twice. */
  secondFaces?: Readonly<Record<EvmAddress, EvmAddress>>
  /** `arbsys`: the precompile is asked, because `block.number` is not this chain's own number (Arbitrum). */
  blockSource: 'opcode' | 'arbsys'
  /** Hash of the first block if it is part of the chain's identity; null if the chain id suffices. */
  genesis: string | null
  /** Depth below the head at which blocks are no longer replaced; used as finality if a node does not report it. */
  finality: number
  /** Usual time between two blocks. */
  blockSeconds: number
  /** A local node of the operator: its chain may start anew, and blocks may have any time. */
  isLocal: boolean
  /** `#rrggbb` */
  color: string
  /** URL templates; the identifier is appended. */
  explorer: { token: string; transaction: string; address: string }
  altExplorer: { token: string; transaction: string; address: string } | null
  /** Public endpoints, in the order in which they are tried; used when the operator names none. */
  publicRpcUrls: readonly string[]
  /** Names of the chain at optional data sources; null where it has none. */
  defillama: string | null
  coingecko: string | null
}

/** Contracts that mirror the balances of the native coin or of another token. */
export function facesOf({ nativeErc20s, secondFaces }: Pick<Chain, 'nativeErc20s' | 'secondFaces'>): EvmAddress[] {
  return [...nativeErc20s, ...(Object.keys(secondFaces ?? {}) as EvmAddress[])]
}
