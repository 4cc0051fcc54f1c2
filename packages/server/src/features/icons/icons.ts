import type { TokenCatalog } from '../../catalog/token-catalog.ts'
import type { Chain } from '../../chains/chain.ts'
import type { ChainTypes } from '../../chains/chain-type.ts'
import type { Address } from '../../domain/address.ts'
import { findAsset, readAsset } from '../../lib/asset.ts'
import type { Ports } from '../module.ts'
import { createIconUrls, type OriginIconUrls } from './icon-urls.ts'
import { letterIcon } from './letter-icon.ts'
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

type Icons = ReturnType<typeof createIcons>

/** Returns SVG texts; `undefined` for a malformed name. */
export function createIcons({
  chains,
  tokens,
  spell,
}: {
  chains: readonly Chain[]
  tokens: TokenCatalog
  spell: ChainTypes['spell']
}) {
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

  function token(chainKey: string, address: string): string | undefined {
    if (!KEY.test(chainKey)) return undefined
    const spelled = spell(address)
    return spelled === undefined ? undefined : tokenAt(chainKey, spelled)
  }

  function symbol(text: string): string | undefined {
    if (!text.isWellFormed() || [...text].length > SYMBOL_LENGTH) return undefined
    return fileOfSymbol(text) ?? letterIcon(text)
  }

  function protocol(key: string): string | undefined {
    if (!KEY.test(key)) return undefined
    const name = protocolIcons.get(key.split('_', 1)[0] ?? '')
    return (name === undefined ? undefined : fileOfSymbol(name)) ?? letterIcon(key)
  }

  return {
    chain,
    token,
    symbol,
    protocol,
    letter: (text: string) => (LETTER.test(text) ? letterIcon(text) : undefined),
  }
}

/** Icons never change under their name. The policy keeps an opened icon from running scripts. */
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
export function iconRoutes(icons: Icons) {
  return [
    iconRoute('/icons/chains/:file', icons.chain),
    iconRoute('/icons/tokens/:chain/:file', (address, params) => icons.token(params['chain'] ?? '', address)),
    iconRoute('/icons/symbols/:file', icons.symbol),
    iconRoute('/icons/protocols/:file', icons.protocol),
    iconRoute('/icons/letters/:file', icons.letter),
  ]
}

export function iconModule({
  config: { chains },
  chainTypes: { spell },
  reading: { catalog: tokens },
}: Pick<Ports, 'config' | 'chainTypes' | 'reading'>) {
  const iconUrls: OriginIconUrls = (origin) => createIconUrls({ origin, tokens, spell })
  return { publicRoutes: iconRoutes(createIcons({ chains, tokens, spell })), iconUrls }
}
