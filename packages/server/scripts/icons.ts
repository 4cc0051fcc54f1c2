import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { tokens as published } from '@web3icons/common'
import { identityOf } from '../src/catalog/token-identity.ts'
import { chainRows } from '../src/chains/evm/chain-rows.ts'
import { protocolIcons } from '../src/features/icons/protocol-icons.ts'

const { resolve } = createRequire(import.meta.url)
const svgFolder = join(dirname(resolve('@web3icons/core')), 'svgs')

/** Each module holds one single-quoted SVG string. */
function svgOf(path: string): string {
  const source = readFileSync(join(svgFolder, `${path}.svg.js`), 'utf8')
  const literal = /^\s*'(<svg.*<\/svg>)\\n';?$/m.exec(source)?.[1]
  if (literal === undefined) throw new Error(`${path}: not one SVG text`)
  return literal.replace(/\\n\s*/g, '').replace(/\\'/g, "'")
}

export function networkSvg(id: string): string {
  return svgOf(`networks/background/${id}`)
}

/** First fill colour as `#rrggbb`. Black or white only without another colour. */
export function leadingColor(svg: string): string | undefined {
  const fills = [...svg.matchAll(/fill="#([0-9a-f]{6}|[0-9a-f]{3})"/gi)].map(([, hex = '']) =>
    `#${hex.length === 3 ? hex.replace(/./g, '$&$&') : hex}`.toLowerCase(),
  )
  return fills.find((color) => color !== '#000000' && color !== '#ffffff') ?? fills[0]
}

/** Larger drawings are photographs converted to paths. */
const MAX_LENGTH = 12_000

/** Excludes everything that runs, loads, embeds or filters. */
const SHAPES =
  /^\/?(svg|g|path|defs|clipPath|linearGradient|radialGradient|stop|circle|ellipse|rect|polygon|polyline|line|mask|use|title)$/
const ACTIVE = /\son\w+=|href="[^#]|url\((?!#)|@import|<!/i

function isServable(svg: string): boolean {
  const tags = [...svg.matchAll(/<([^\s/>]*\/?[^\s/>]*)/g)].map(([, tag = '']) => tag)
  return svg.length <= MAX_LENGTH && !ACTIVE.test(svg) && tags.every((tag) => SHAPES.test(tag))
}

type Icon = { file: string; svg: string }

function tokenIcon(name: string): Icon | undefined {
  const svg = svgOf(`tokens/branded/${name}`)
  const file = name.toLowerCase()
  return isServable(svg) && /^[a-z0-9._-]+$/.test(file) ? { file, svg } : undefined
}

const platforms = new Map([...chainRows.map((row) => [row.coingecko, row.key] as const), ['solana', 'solana']])

/** In the chain's spelling. */
function placeOf(platform: string, address = ''): string | undefined {
  const chain = platforms.get(platform)
  if (chain === 'solana') return `${chain}:${address}`
  return chain && /^0x[0-9a-f]{40}$/i.test(address) ? `${chain}:${address.toLowerCase()}` : undefined
}

function findIcons() {
  const bySymbol = new Map<string, Icon>()
  const byAddress = new Map<string, Icon>()
  const byIdentity = new Map<string, Icon>()
  const branded = published.filter((token) => token.variants.includes('branded') && token.filePath.startsWith('token:'))
  for (const token of branded) {
    const icon = tokenIcon(token.filePath.slice('token:'.length))
    if (!icon) continue
    if (icon.file === token.symbol.toLowerCase()) bySymbol.set(icon.file, icon)
    byIdentity.set(identityOf(token), icon)
    for (const [platform, address] of Object.entries<string | undefined>(token.addresses ?? {})) {
      const place = placeOf(platform, address)
      if (place) byAddress.set(place, icon)
    }
  }
  return { bySymbol, byAddress, byIdentity }
}

/** `name` is absent for native coins. */
type NamedToken = { address: string; symbol: string; name?: string }

/** Its own and that of the wrapped token. */
function identitiesOf({ symbol, name = '' }: NamedToken): string[] {
  const wrapped = { symbol: symbol.slice(1), name: name.replace(/^wrapped /i, '') }
  return [identityOf({ symbol, name }), ...(/^w/i.test(symbol) ? [identityOf(wrapped)] : [])]
}

/**
 * By chain and address: the address itself, the same token on another chain, or a token of the same symbol and name.
 * Symbols alone are ambiguous. A native coin has its symbol's icon.
 */
function iconsOfTokens(
  tokens: ReadonlyMap<string, readonly NamedToken[]>,
  { bySymbol, byAddress, byIdentity }: ReturnType<typeof findIcons>,
): Map<string, Map<string, Icon>> {
  const placed = [...tokens].flatMap(([chain, listed]) =>
    listed.flatMap((token) => {
      const icon = byAddress.get(`${chain}:${token.address}`)
      return icon && token.name !== undefined ? [[identityOf({ ...token, name: token.name }), icon] as const] : []
    }),
  )
  const icons = new Map([...placed, ...byIdentity])
  const iconOf = (chain: string, token: NamedToken) =>
    byAddress.get(`${chain}:${token.address}`) ??
    (token.name === undefined
      ? bySymbol.get(token.symbol.toLowerCase())
      : identitiesOf(token)
          .map((identity) => icons.get(identity))
          .find((icon) => icon !== undefined))
  return new Map(
    [...tokens].map(([chain, listed]) => {
      const pairs = listed.map((token) => [token.address, iconOf(chain, token)] as const)
      return [chain, new Map(pairs.filter((pair): pair is readonly [string, Icon] => pair[1] !== undefined))]
    }),
  )
}

/** Chains by key, tokens by name, and `tokens.json` with each token's icon. */
export function gatherIcons(tokens: ReadonlyMap<string, readonly NamedToken[]>): Map<string, string> {
  const found = findIcons()
  const named = iconsOfTokens(tokens, found)
  const ofProtocols = [...protocolIcons.values()].map((name) => found.bySymbol.get(name))
  const used = [...named.values()].flatMap((icons) => [...icons.values()]).concat(ofProtocols.filter((icon) => !!icon))
  const index = Object.fromEntries(
    [...named].map(([chain, icons]) => [
      chain,
      Object.fromEntries([...icons].map(([address, icon]) => [address, icon.file])),
    ]),
  )
  const chains = [...chainRows, { key: 'solana', icon: 'solana' }]
  return new Map([
    ['icons/tokens.json', `${JSON.stringify(index, null, 1)}\n`],
    ...chains.flatMap(({ key, icon }) => (icon ? [[`icons/chains/${key}.svg`, networkSvg(icon)] as const] : [])),
    ...used.map(({ file, svg }) => [`icons/tokens/${file}.svg`, svg] as const),
  ])
}
