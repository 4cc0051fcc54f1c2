import { type Chain, facesOf } from '../chains/chain.ts'
import type { Address } from '../domain/address.ts'
import { isSpam, type ListedSymbols, listedSymbols } from '../domain/spam.ts'
import type { Token } from '../domain/token.ts'
import { findAsset } from '../lib/asset.ts'

/** A row of `assets/tokens/<chain>.json`. */
export type TokenRow = [address: Address, symbol: string, name: string, decimals: number]

export type TokenCatalog = {
  /** Native coin first. */
  list(chainKey: string): readonly Token[]
  find(chainKey: string, address: Address): Token | undefined
  /** Bait: never priced or totalled. */
  isSpam(token: Token): boolean
}

function publishedRows(chainKey: string): readonly TokenRow[] {
  const text = findAsset(`tokens/${chainKey}.json`)
  return text === undefined ? [] : (JSON.parse(text) as TokenRow[])
}

function nativeTokens(chain: Chain): Token[] {
  const { address, symbol, name, decimals } = chain.native
  const native = { chain: chain.key, address, symbol, name, decimals, listed: true }
  if (!chain.wrappedNative) return [native]
  const wrapped = { ...native, address: chain.wrappedNative, symbol: `W${symbol}`, name: `Wrapped ${name}` }
  return [native, wrapped]
}

/**
 * Later rows replace earlier ones: wrapped coin, published lists, operator's tokens. A second face in a list means the
 * token itself.
 */
function readTokens(chain: Chain, configured: readonly Token[]): ReadonlyMap<Address, Token> {
  const tokens = new Map(nativeTokens(chain).map((token) => [token.address, token]))
  const firstFaces = new Map<Address, Address>(Object.entries(chain.secondFaces ?? {}))
  for (const [listed, symbol, name, decimals] of publishedRows(chain.key)) {
    const address = firstFaces.get(listed) ?? listed
    tokens.set(address, { chain: chain.key, address, symbol, name, decimals, listed: true })
  }
  for (const token of configured) tokens.set(token.address, token)
  for (const face of facesOf(chain)) tokens.delete(face)
  return tokens
}

export function createTokenCatalog({
  chains,
  configTokens,
}: {
  chains: readonly Chain[]
  configTokens: readonly Token[]
}): TokenCatalog {
  const byChain = new Map<string, ReadonlyMap<Address, Token>>()
  const lists = new Map<string, readonly Token[]>()
  const symbols = new Map<string, ListedSymbols>()
  /** One read checks each token several times. */
  const judged = new WeakMap<Token, boolean>()

  function tokensOf(chainKey: string): ReadonlyMap<Address, Token> {
    const known = byChain.get(chainKey)
    if (known) return known
    const chain = chains.find((candidate) => candidate.key === chainKey)
    if (!chain) return new Map()
    const configured = configTokens.filter((token) => token.chain === chainKey)
    const tokens = readTokens(chain, configured)
    byChain.set(chainKey, tokens)
    return tokens
  }

  return {
    list(chainKey) {
      const known = lists.get(chainKey)
      if (known) return known
      const list = [...tokensOf(chainKey).values()]
      lists.set(chainKey, list)
      return list
    },
    find: (chainKey, address) => tokensOf(chainKey).get(address),
    isSpam(token) {
      if (token.listed) return false
      const before = judged.get(token)
      if (before !== undefined) return before
      const known = symbols.get(token.chain) ?? listedSymbols(tokensOf(token.chain).values())
      symbols.set(token.chain, known)
      const found = isSpam(token, known)
      judged.set(token, found)
      return found
    },
  }
}
