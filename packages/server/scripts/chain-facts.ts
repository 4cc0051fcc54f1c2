import * as published from 'viem/chains'
import { type ChainRow, chainRows } from '../src/chains/evm/chain-rows.ts'
import type { ChainFacts } from '../src/chains/evm/chains.ts'
import { leadingColor, networkSvg } from './icons.ts'

/** Colour for chains without an icon. */
const NEUTRAL_COLOR = '#5c6b7a'

/** Explorer URLs may end with a slash. The templates add their own. */
function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

/** A long opaque path segment is someone's API key. */
function hasKey(url: string): boolean {
  return /\/[A-Za-z0-9_-]{20,}/.test(new URL(url).pathname)
}

function factsOf({ viem: name, icon, color }: ChainRow): ChainFacts {
  const chain = Object.entries(published).find(([exported]) => exported === name)?.[1]
  if (!chain || !('id' in chain) || !chain.blockExplorers) throw new Error(`viem has no chain ${name} with an explorer`)
  const contracts = chain.contracts ?? {}
  const multicall3 = 'multicall3' in contracts ? contracts.multicall3 : undefined
  return {
    chainId: String(chain.id),
    name: chain.name,
    native: {
      symbol: chain.nativeCurrency.symbol,
      name: chain.nativeCurrency.name,
      decimals: chain.nativeCurrency.decimals,
    },
    multicall3: (multicall3?.address.toLowerCase() as `0x${string}` | undefined) ?? null,
    explorer: withoutSlash(chain.blockExplorers.default.url),
    rpcUrls: chain.rpcUrls.default.http.filter((url) => !hasKey(url)),
    color: color ?? (icon ? leadingColor(networkSvg(icon)) : undefined) ?? NEUTRAL_COLOR,
  }
}

export function gatherChains(): Record<string, ChainFacts> {
  return Object.fromEntries(chainRows.map((row) => [row.key, factsOf(row)]))
}
