import type { Address } from '../../../domain/address.ts'
import { type EvmAddress, evmAddress } from '../../../domain/evm-address.ts'
import type { ListedTokens } from '../../tokens.ts'

/**
 * Tokens that a wallet may receive without a `Transfer` that names it: wrappers in the manner of WETH9, whose `deposit` logs
 * something else, and these. MKR and SAI are tokens of DappHub's DSToken, whose `mint` logs `Mint` alone; SUP is a Super
 * Token, whose streams log nothing while they run.
 */
const KNOWN: ReadonlySet<string> = new Set(
  [
    '0x9f8f72aa9304c8b593d555f12ef6589cc3a579a2',
    '0x89d24a6b4ccb1b6faa2625fe562bdd9a23260359',
    '0xa69f80524381275a7ffdb3ae01c54150644c8792',
  ].map(evmAddress),
)

/** Every wrapped coin is called so, and some tokens more than are silent. */
const IS_WRAPPED = /^w/i

/** Listed tokens that logs cannot rule out. More are learned from wallets that hold what no log has named. */
export type SilentTokens = {
  has(chain: string, token: Address): boolean
  learn(chain: string, tokens: readonly EvmAddress[]): void
  /** How many were learned. */
  learned(chain: string): number
}

export function createSilentTokens(catalog: Pick<ListedTokens, 'find'>): SilentTokens {
  const learned = new Map<string, Set<Address>>()

  return {
    has: (chain, token) =>
      KNOWN.has(token) ||
      IS_WRAPPED.test(catalog.find(chain, token)?.symbol ?? '') ||
      (learned.get(chain)?.has(token) ?? false),
    learn(chain, tokens) {
      if (tokens.length === 0) return
      const known = learned.get(chain) ?? new Set()
      for (const token of tokens) known.add(token)
      learned.set(chain, known)
    },
    learned: (chain) => learned.get(chain)?.size ?? 0,
  }
}
