import { NATIVE } from '../domain/evm-address.ts'
import { NATIVE_SOL, WRAPPED_SOL } from '../domain/solana-address.ts'
import { readAsset } from '../lib/asset.ts'
import type { Chain } from './chain.ts'
import { BLOCK_SECONDS, type ChainRow, chainRows, FINALITY } from './chain-rows.ts'

/** What viem publishes of a chain, as generated into `assets/chains.json`: loading `viem/chains` itself costs half a second. */
export type ChainFacts = Pick<Chain, 'chainId' | 'name' | 'multicall3' | 'color'> & {
  native: Omit<Chain['native'], 'address'>
  explorer: string
  rpcUrls: string[]
}

/** Other names that requests may use for a chain. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['arb', 'arbitrum'],
  ['avax', 'avalanche'],
  ['bnb', 'binance'],
  ['bsc', 'binance'],
  ['era', 'zksync'],
  ['eth', 'ethereum'],
  ['ftm', 'fantom'],
  ['matic', 'polygon'],
  ['op', 'optimism'],
  ['sol', 'solana'],
  ['xdai', 'gnosis'],
])

/** The three URL templates of an explorer that follows Etherscan's and Blockscout's paths. */
export function explorerTemplates(base: string): Chain['explorer'] {
  return { token: `${base}/token/`, transaction: `${base}/tx/`, address: `${base}/address/` }
}

function chainOf(row: ChainRow, facts: ChainFacts): Chain {
  return {
    key: row.key,
    family: 'evm',
    chainId: facts.chainId,
    name: facts.name,
    native: { address: NATIVE, ...facts.native },
    wrappedNative: row.wrappedNative,
    multicall3: facts.multicall3,
    nativeErc20s: row.nativeErc20s ?? [],
    ...(row.secondFaces && { secondFaces: row.secondFaces }),
    blockSource: row.blockSource ?? 'opcode',
    genesis: null,
    finality: row.finality ?? FINALITY,
    blockSeconds: row.blockSeconds ?? BLOCK_SECONDS,
    isLocal: false,
    color: facts.color,
    explorer: explorerTemplates(facts.explorer),
    altExplorer: row.altExplorer ? explorerTemplates(row.altExplorer) : null,
    publicRpcUrls: [...facts.rpcUrls, ...(row.rpcUrls ?? [])],
    defillama: row.defillama,
    coingecko: row.coingecko,
  }
}

/** viem does not list Solana. `101` is the main network's id in Solana's own token lists. */
const solana: Chain = {
  key: 'solana',
  family: 'solana',
  chainId: '101',
  name: 'Solana',
  native: { address: NATIVE_SOL, symbol: 'SOL', name: 'Solana', decimals: 9 },
  wrappedNative: WRAPPED_SOL,
  multicall3: null,
  nativeErc20s: [],
  blockSource: 'opcode',
  genesis: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  finality: 32,
  blockSeconds: BLOCK_SECONDS,
  isLocal: false,
  color: '#9945ff',
  explorer: {
    token: 'https://solscan.io/token/',
    transaction: 'https://solscan.io/tx/',
    address: 'https://solscan.io/account/',
  },
  altExplorer: null,
  publicRpcUrls: [],
  defillama: 'solana',
  coingecko: 'solana',
}

function loadChains(): readonly Chain[] {
  const facts = JSON.parse(readAsset('chains.json')) as Record<string, ChainFacts>
  const evm = chainRows.map((row) => {
    const published = facts[row.key]
    if (!published) throw new Error(`assets/chains.json does not know ${row.key}: run the generate script`)
    return chainOf(row, published)
  })
  return [...evm, solana]
}

/** All chains that ship with Coffer. The configuration selects which of them are read. */
export const chains: readonly Chain[] = loadChains()

/**
 * The chain that a request means by a canonical key, a lower-case alias (`bsc`) or a decimal chain id (`56`).
 * A key wins over an alias, so that a configured chain may take any free name.
 */
export function findChain(input: string, among: readonly Chain[] = chains): Chain | undefined {
  const key = aliases.get(input)
  return (
    among.find((chain) => chain.key === input) ?? among.find((chain) => chain.key === key || chain.chainId === input)
  )
}

export function byKey(among: readonly Chain[]): ReadonlyMap<string, Chain> {
  return new Map(among.map((chain) => [chain.key, chain]))
}
