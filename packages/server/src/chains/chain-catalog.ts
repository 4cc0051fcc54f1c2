import { UpstreamError } from '../lib/upstream-error.ts'
import type { Chain } from './chain.ts'

/** As Etherscan and Blockscout. */
export function explorerTemplates(base: string): Chain['explorer'] {
  return { token: `${base}/token/`, transaction: `${base}/tx/`, address: `${base}/address/` }
}

/** Keys win, so that a configured chain may take any free name. */
export function findChain(input: string, among: readonly Chain[]): Chain | undefined {
  return (
    among.find((chain) => chain.key === input) ??
    among.find((chain) => chain.aliases?.includes(input) || chain.chainId === input)
  )
}

export function byKey(among: readonly Chain[]): ReadonlyMap<string, Chain> {
  return new Map(among.map((chain) => [chain.key, chain]))
}

/** Throws `UpstreamError` for other chains. */
export function ofEnabled<T>(byChain: ReadonlyMap<string, T>, chain: string): T {
  const found = byChain.get(chain)
  if (found === undefined) throw new UpstreamError('not-allowed', `${chain} is not enabled`)
  return found
}
