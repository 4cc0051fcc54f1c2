import { type Chain, facesOf } from '../chains/chain.ts'
import type { ListedTokens } from '../chains/tokens.ts'
import type { Address } from '../domain/address.ts'
import { isSpam, type ListedSymbols, listedSymbols } from '../domain/spam.ts'
import type { Token } from '../domain/token.ts'
import { findAsset } from '../lib/asset.ts'

export type TokenRow = [address: Address, symbol: string, name: string, decimals: number]

export type TokenCatalog = ListedTokens & {
  /** Bait: never priced or totalled. */
  isSpam(token: Token): boolean
}

function nativeTokens(chain: Chain): Token[] {
  const { address, symbol, name, decimals } = chain.native
  const native = { chain: chain.key, address, symbol, name, decimals, listed: true }
  if (!chain.wrappedNative) return [native]
  const wrapped = { ...native, address: chain.wrappedNative, symbol: `W${symbol}`, name: `Wrapped ${name}` }
  return [native, wrapped]
}

/** Later rows replace earlier ones. A second face in a list means the token itself. */
function readTokens(chain: Chain, configured: readonly Token[]): ReadonlyMap<Address, Token> {
  const tokens = new Map(nativeTokens(chain).map((token) => [token.address, token]))
  const firstFaces = new Map<Address, Address>(Object.entries(chain.secondFaces ?? {}))
  const rows = JSON.parse(findAsset(`tokens/${chain.key}.json`) ?? '[]') as TokenRow[]
  for (const [listed, symbol, name, decimals] of rows) {
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
  type Listed = { tokens: ReadonlyMap<Address, Token>; list: readonly Token[]; symbols?: ListedSymbols }
  const byChain = new Map<string, Listed>()
  /** One read checks each token several times. */
  const judged = new WeakMap<Token, boolean>()

  function listedOn(chainKey: string): Listed {
    const known = byChain.get(chainKey)
    if (known) return known
    const chain = chains.find(({ key }) => key === chainKey)
    if (!chain) return { tokens: new Map(), list: [] }
    const configured = configTokens.filter((token) => token.chain === chainKey)
    const tokens = readTokens(chain, configured)
    const listed = { tokens, list: [...tokens.values()] }
    byChain.set(chainKey, listed)
    return listed
  }

  return {
    list: (chainKey) => listedOn(chainKey).list,
    find: (chainKey, address) => listedOn(chainKey).tokens.get(address),
    isSpam(token) {
      if (token.listed) return false
      const listed = listedOn(token.chain)
      listed.symbols ??= listedSymbols(listed.list)
      const found = judged.get(token) ?? isSpam(token, listed.symbols)
      judged.set(token, found)
      return found
    },
  }
}
