import * as published from 'viem/chains'
import { type ChainRow, chainRows } from '../src/kinds/evm/chain-rows.ts'
import type { ChainFacts } from '../src/kinds/evm/chains.ts'
import { leadingColor, networkSvg } from './icons.ts'

/** Shown where a chain has no icon to take a colour from. */
const NEUTRAL_COLOR = '#5c6b7a'

/** Explorers are written with and without a last slash; the templates add their own. */
function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

/** A long opaque part of a path is somebody's key. */
function hasKey(url: string): boolean {
  return /\/[A-Za-z0-9_-]{20,}/.test(new URL(url).pathname)
}

function factsOf({ viem: name, icon, color }: ChainRow): ChainFacts {
  const chain = Object.entries(published).find(([exported]) => exported === name)?.[1]
  if (!chain || !('id' in chain) || !chain.blockExplorers) throw new Error(`viem has no chain ${name} with an explorer`)
  const contracts: { multicall3?: { address: `0x${string}` } } = chain.contracts ?? {}
  return {
    chainId: String(chain.id),
    name: chain.name,
    native: {
      symbol: chain.nativeCurrency.symbol,
      name: chain.nativeCurrency.name,
      decimals: chain.nativeCurrency.decimals,
    },
    multicall3: (contracts.multicall3?.address.toLowerCase() as `0x${string}` | undefined) ?? null,
    explorer: withoutSlash(chain.blockExplorers.default.url),
    rpcUrls: chain.rpcUrls.default.http.filter((url) => !hasKey(url)),
    color: color ?? (icon ? leadingColor(networkSvg(icon)) : undefined) ?? NEUTRAL_COLOR,
  }
}

/** What viem publishes of the chains in `chain-rows.ts`, and the colour of their icons, by chain key. */
export function gatherChains(): Record<string, ChainFacts> {
  return Object.fromEntries(chainRows.map((row) => [row.key, factsOf(row)]))
}
