import type { ChainKinds } from '../../kinds/kind.ts'
import type { TokenCatalog } from '../../knowledge/token-catalog.ts'
import { firstLetter } from './letter-icon.ts'

/** Absolute URLs. Both are the same drawing: it has no pixels. */
type Images = { imgSmall: string; imgLarge: string }

/** Where the service itself serves icons, below the origin that a caller reaches it by. */
export type IconUrls = {
  chain(key: string): Images
  /** A token on no list shows its letter, never the icon of the token it may imitate. */
  token(chainKey: string, address: string, symbol: string): Images
  /** For what has a symbol and no contract: a coin on an exchange. */
  symbol(symbol: string): Images
  protocol(key: string): Images
}

function images(url: string): Images {
  return { imgSmall: url, imgLarge: url }
}

/** The URLs below an origin that a caller reaches the service by. */
export type OriginIconUrls = (origin: string) => IconUrls

/** `origin` has no last slash, e.g. `https://coffer.example`. */
export function createIconUrls({
  origin,
  tokens,
  spell,
}: {
  origin: string
  tokens: TokenCatalog
  spell: ChainKinds['spell']
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
