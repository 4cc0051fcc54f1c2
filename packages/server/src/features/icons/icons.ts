import { createHash } from 'node:crypto'
import type { TokenCatalog } from '../../catalog/token-catalog.ts'
import type { Chain } from '../../chains/chain.ts'
import type { Address } from '../../domain/address.ts'
import { findAsset, readAsset } from '../../lib/asset.ts'
import { protocolIcons } from './protocol-icons.ts'

const KEY = /^[a-z][a-z0-9_]{0,63}$/
const FILE = /^[a-z0-9._-]{1,32}$/
const LETTER = /^[\p{L}\p{N}?]$/u
const SYMBOL_LENGTH = 32

type TokenIndex = Readonly<Record<string, Readonly<Record<string, string>>>>

function fileOfSymbol(symbol: string): string | undefined {
  const name = symbol.toLowerCase()
  return FILE.test(name) ? findAsset(`icons/tokens/${name}.svg`) : undefined
}

type IconContext = { chains: readonly Chain[]; tokens: TokenCatalog; spell(address: string): Address | undefined }

/** Returns SVG texts; `undefined` for a malformed name. */
export function createIcons({ chains, tokens, spell }: IconContext) {
  let index: TokenIndex | undefined

  function fileOfToken(chainKey: string, address: string): string | undefined {
    index ??= JSON.parse(readAsset('icons/tokens.json')) as TokenIndex
    const name = index[chainKey]?.[address]
    return name === undefined ? undefined : readAsset(`icons/tokens/${name}.svg`)
  }

  function chain(key: string): string | undefined {
    if (!KEY.test(key)) return undefined
    const known = chains.find((candidate) => candidate.key === key)
    if (!known) return letterIcon(key)
    return findAsset(`icons/chains/${key}.svg`) ?? letterIcon(known.name, { color: known.color })
  }

  /** Several tokens may have the same symbol. */
  function tokenAt(chainKey: string, address: Address): string | undefined {
    const file = fileOfToken(chainKey, address)
    if (file !== undefined) return file
    const listed = tokens.find(chainKey, address)
    if (!listed) return letterIcon('?', { seed: address })
    if (chains.some(({ key, native }) => key === chainKey && native.address === address)) return chain(chainKey)
    return letterIcon(listed.symbol, { seed: address })
  }

  return {
    chain,
    token(chainKey: string, address: string): string | undefined {
      const spelled = KEY.test(chainKey) ? spell(address) : undefined
      return spelled === undefined ? undefined : tokenAt(chainKey, spelled)
    },
    symbol(text: string): string | undefined {
      if (!text.isWellFormed() || [...text].length > SYMBOL_LENGTH) return undefined
      return fileOfSymbol(text) ?? letterIcon(text)
    },
    protocol(key: string): string | undefined {
      if (!KEY.test(key)) return undefined
      const name = protocolIcons.get(key.split('_', 1)[0] ?? '')
      return (name === undefined ? undefined : fileOfSymbol(name)) ?? letterIcon(key)
    },
    letter: (text: string) => (LETTER.test(text) ? letterIcon(text) : undefined),
  }
}

/** The policy keeps an opened icon from running scripts. */
const HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
}

type Params = Readonly<Record<string, string>>

function iconRoute(path: `/icons/${string}`, find: (name: string, params: Params) => string | undefined) {
  return {
    path,
    small: true,
    read(params: Params) {
      const name = /^(.+)\.svg$/su.exec(params['file'] ?? '')?.[1]
      const body = name === undefined ? undefined : find(name, params)
      return body === undefined ? undefined : { contentType: 'image/svg+xml; charset=utf-8', body, headers: HEADERS }
    },
  }
}

/** Served without a key. */
export function iconRoutes(context: IconContext) {
  const icons = createIcons(context)
  return [
    iconRoute('/icons/chains/:file', icons.chain),
    iconRoute('/icons/tokens/:chain/:file', (address, params) => icons.token(params['chain'] ?? '', address)),
    iconRoute('/icons/symbols/:file', icons.symbol),
    iconRoute('/icons/protocols/:file', icons.protocol),
    iconRoute('/icons/letters/:file', icons.letter),
  ]
}

export function iconModule(context: IconContext) {
  const iconUrls: OriginIconUrls = (origin) => createIconUrls({ ...context, origin })
  return { publicRoutes: iconRoutes(context), iconUrls }
}

type Images = { imgSmall: string; imgLarge: string }

export type IconUrls = {
  chain(key: string): Images
  /** Shows the letter of an unlisted token, never the icon of one that it may imitate. */
  token(chainKey: string, address: string, symbol: string): Images
  /** For coins on an exchange, which have no contract. */
  symbol(symbol: string): Images
  protocol(key: string): Images
}

const images = (url: string): Images => ({ imgSmall: url, imgLarge: url })

export type OriginIconUrls = (origin: string) => IconUrls

/** `origin` has no trailing slash. */
export function createIconUrls({ origin, tokens, spell }: Omit<IconContext, 'chains'> & { origin: string }): IconUrls {
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

/** An upper-case letter or digit, or `?`: safe in an SVG, and in a URL once encoded. */
function firstLetter(text: string): string {
  const [letter = '?'] = /[\p{L}\p{N}]/u.exec(text) ?? []
  const [upper = letter] = letter.toUpperCase()
  return upper
}

function colorOf(name: string): string {
  const hue = createHash('sha256').update(name).digest().readUInt16BE(0) % 360
  return `hsl(${hue} 45% 42%)`
}

function letterIcon(text: string, { seed = text, color = colorOf(seed) }: { seed?: string; color?: string } = {}) {
  const font = 'font-family="sans-serif" font-size="12" font-weight="600"'
  const middle = 'x="12" y="12" text-anchor="middle" dominant-baseline="central"'
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24">',
    `<circle cx="12" cy="12" r="12" fill="${color}"/>`,
    `<text ${middle} ${font} fill="#fff">${firstLetter(text)}</text>`,
    '</svg>',
  ].join('')
}
