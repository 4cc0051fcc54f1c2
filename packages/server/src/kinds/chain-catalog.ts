import { UpstreamError } from '../lib/upstream-error.ts'
import type { Chain } from './chain.ts'

/** The three URL templates of an explorer that follows Etherscan's and Blockscout's paths. */
export function explorerTemplates(base: string): Chain['explorer'] {
  return { token: `${base}/token/`, transaction: `${base}/tx/`, address: `${base}/address/` }
}

/**
 * The chain that a request means by a canonical key, a lower-case alias (`bsc`) or a decimal chain id (`56`).
 * A key wins over an alias, so that a configured chain may take any free name.
 */
export function findChain(input: string, among: readonly Chain[]): Chain | undefined {
  return (
    among.find((chain) => chain.key === input) ??
    among.find((chain) => chain.aliases?.includes(input) || chain.chainId === input)
  )
}

export function byKey(among: readonly Chain[]): ReadonlyMap<string, Chain> {
  return new Map(among.map((chain) => [chain.key, chain]))
}

/** What there is for an enabled chain, by its key. Throws `UpstreamError` for any other chain. */
export function ofEnabled<T>(byChain: ReadonlyMap<string, T>, chain: string): T {
  const found = byChain.get(chain)
  if (found === undefined) throw new UpstreamError('not-allowed', `${chain} is not enabled`)
  return found
}
