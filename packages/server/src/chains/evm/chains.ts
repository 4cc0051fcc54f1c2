import { evmAddress, NATIVE } from '../../domain/evm-address.ts'
import { readAsset } from '../../lib/asset.ts'
import { BLOCK_SECONDS, type Chain, FINALITY, type OwnChain } from '../chain.ts'
import { explorerTemplates } from '../chain-catalog.ts'
import { type ChainRow, chainRows } from './chain-rows.ts'

export const EVM = 'evm'

/** From viem, generated into `assets/chains.json`: loading `viem/chains` costs half a second. */
export type ChainFacts = Pick<Chain, 'chainId' | 'name' | 'multicall3' | 'color'> & {
  native: Omit<Chain['native'], 'address'>
  explorer: string
  rpcUrls: string[]
}

const COMMON = { family: EVM, genesis: null, isLocal: false } as const

function chainOf(row: ChainRow, facts: ChainFacts): Chain {
  return {
    ...COMMON,
    key: row.key,
    ...(row.aliases && { aliases: row.aliases }),
    chainId: facts.chainId,
    name: facts.name,
    native: { address: NATIVE, ...facts.native },
    wrappedNative: row.wrappedNative,
    multicall3: facts.multicall3,
    nativeErc20s: row.nativeErc20s ?? [],
    ...(row.secondFaces && { secondFaces: row.secondFaces }),
    blockSource: row.blockSource ?? 'opcode',
    finality: row.finality ?? FINALITY,
    blockSeconds: row.blockSeconds ?? BLOCK_SECONDS,
    color: facts.color,
    explorer: explorerTemplates(facts.explorer),
    altExplorer: row.altExplorer ? explorerTemplates(row.altExplorer) : null,
    publicRpcUrls: [...facts.rpcUrls, ...(row.rpcUrls ?? [])],
    defillama: row.defillama,
    coingecko: row.coingecko,
  }
}

function loadChains(): readonly Chain[] {
  const facts = JSON.parse(readAsset('chains.json')) as Record<string, ChainFacts>
  return chainRows.map((row) => {
    const published = facts[row.key]
    if (!published) throw new Error(`assets/chains.json does not know ${row.key}: run the generate script`)
    return chainOf(row, published)
  })
}

export const evmChains: readonly Chain[] = loadChains()

export function ownEvmChain(row: OwnChain): Chain {
  return {
    ...COMMON,
    key: row.key,
    chainId: String(row.chainId),
    name: row.name,
    native: { ...row.native, address: NATIVE, name: row.native.name ?? row.native.symbol },
    wrappedNative: row.wrappedNative ?? null,
    multicall3: row.multicall3 === undefined ? null : evmAddress(row.multicall3),
    nativeErc20s: row.nativeErc20s.map(evmAddress),
    blockSource: 'opcode',
    finality: row.finality,
    blockSeconds: row.blockSeconds,
    color: row.color.toLowerCase(),
    explorer: explorerTemplates(row.explorer.replace(/\/+$/, '')),
    altExplorer: null,
    publicRpcUrls: row.rpcUrls,
    defillama: row.defillama ?? null,
    coingecko: row.coingecko ?? null,
  }
}
