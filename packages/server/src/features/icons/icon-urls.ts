import type { TokenCatalog } from '../../catalog/token-catalog.ts'
import type { ChainTypes } from '../../chains/chain-type.ts'
import { firstLetter } from './letter-icon.ts'

type Images = { imgSmall: string; imgLarge: string }

export type IconUrls = {
  chain(key: string): Images
  /** Shows the letter of an unlisted token, never the icon of one that it may imitate. */
  token(chainKey: string, address: string, symbol: string): Images
  /** For coins on an exchange, which have no contract. */
  symbol(symbol: string): Images
  protocol(key: string): Images
}

function images(url: string): Images {
  return { imgSmall: url, imgLarge: url }
}

export type OriginIconUrls = (origin: string) => IconUrls

/** `origin` has no trailing slash. */
export function createIconUrls({
  origin,
  tokens,
  spell,
}: {
  origin: string
  tokens: TokenCatalog
  spell: ChainTypes['spell']
}): IconUrls {
  const letter = (text: string) => images(`${origin}/icons/letters/${encodeURIComponent(firstLetter(text))}.svg`)
  return {
    chain: (key) => images(`${origin}/icons/chains/${key}.svg`),
    token(chainKey, address, symbol) {
      const isListed = tokens.find(chainKey, spell(address) ?? address) !== undefined
      return isListed ? images(`${origin}/icons/tokens/${chainKey}/${address}.svg`) : letter(symbol)
    },
    symbol: (symbol) =>
      /^[\w.-]{1,32}$/.test(symbol) ? images(`${origin}/icons/symbols/${symbol.toLowerCase()}.svg`) : letter(symbol),
    protocol: (key) => images(`${origin}/icons/protocols/${key}.svg`),
  }
}
