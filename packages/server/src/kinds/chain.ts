import type { Address } from '../domain/address.ts'
import type { EvmAddress } from '../domain/evm-address.ts'

/** A chain Coffer knows: identity, display and the facts reading needs. Rows are in `catalog.ts`, or come from the configuration. */
export type Chain = {
  /** Short identifier used in requests, e.g. `binance`. */
  key: string
  /** Which kind of node and address the chain has. */
  family: 'evm' | 'solana'
  /** Network id as a decimal string. */
  chainId: string
  name: string
  /** `address` stands for the coin wherever a token's is expected. */
  native: { address: Address; symbol: string; name: string; decimals: number }
  wrappedNative: Address | null
  multicall3: EvmAddress | null
  /** Addresses that show the native coin as an ERC-20; never scanned, or it would count twice. */
  nativeErc20s: readonly EvmAddress[]
  /** Addresses that show the balances of another token, and that token; never scanned, or it would count twice. */
  secondFaces?: Readonly<Record<EvmAddress, EvmAddress>>
  /** Where `block.number` is not this chain's own number (Arbitrum), the precompile is asked. */
  blockSource: 'opcode' | 'arbsys'
  /** Hash of the first block where it is part of the chain's identity; null where the chain id says enough. */
  genesis: string | null
  /** A block this far below the head is not replaced any more; final where a node does not say what is. */
  finality: number
  /** Usual time between two blocks. */
  blockSeconds: number
  /** A node of the operator's own making: its chain may be begun anew, and blocks have any time. */
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

/** Contracts whose balances are those of the coin or of another token. */
export function facesOf({ nativeErc20s, secondFaces }: Pick<Chain, 'nativeErc20s' | 'secondFaces'>): EvmAddress[] {
  return [...nativeErc20s, ...(Object.keys(secondFaces ?? {}) as EvmAddress[])]
}
