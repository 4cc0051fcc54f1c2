import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { suiteApp } from '../../../test/memory-app.ts'
import { createTokenCatalog } from '../../catalog/token-catalog.ts'
import { chains, chainTypes } from '../../chains/chain-types.ts'
import { NATIVE } from '../../domain/evm-address.ts'
import { createIcons, createIconUrls, iconRoutes } from './icons.ts'
import { protocolIcons } from './protocol-icons.ts'

const configured = `0x${'ab'.repeat(20)}` as const
const forged = `0x${'cd'.repeat(20)}` as const
const tokens = createTokenCatalog({
  chains,
  configTokens: [{ chain: 'base', address: configured, symbol: 'USDC', name: 'USD Coin', decimals: 6, listed: true }],
})
const context = { chains, tokens, spell: chainTypes.spell }
const icons = createIcons(context)
const urls = createIconUrls({ origin: 'https://coffer.example', tokens, spell: chainTypes.spell })
const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
/** Bridged: USDbC. */
const usdcOnBase = '0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca'
const folder = new URL('../../../assets/icons/', import.meta.url)

const shipped = (path: string) => readFileSync(new URL(path, folder), 'utf8')
const isDisc = (svg: string | undefined, letter: string) => svg?.includes(`>${letter}</text>`) ?? false

describe('icons', () => {
  it('draws every chain, with a letter if no icon is published', () => {
    for (const { key } of chains) expect(icons.chain(key), key).toMatch(/^<svg .*<\/svg>$/s)
    expect(icons.chain('ethereum')).toBe(shipped('chains/ethereum.svg'))
    expect(isDisc(icons.chain('opbnb'), 'O')).toBe(true)
    expect(isDisc(icons.chain('some_chain'), 'S')).toBe(true)
  })

  it('draws a token by its address, whatever its letter case', () => {
    expect(icons.token('ethereum', usdc)).toBe(shipped('tokens/usdc.svg'))
    expect(icons.token('ethereum', usdc.toUpperCase().replace('0X', '0x'))).toBe(shipped('tokens/usdc.svg'))
  })

  it('draws a token of Solana by its mint, whose letter case counts', () => {
    const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
    expect(icons.token('solana', mint)).toBe(shipped('tokens/usdc.svg'))
    expect(isDisc(icons.token('solana', mint.replace('EPj', 'EPJ')), '?')).toBe(true)
    expect(icons.token('solana', '11111111111111111111111111111111')).toBe(shipped('tokens/sol.svg'))
    expect(isDisc(icons.token('solana', 'J1toso1uCk3RLmjorhTtrVwY9HJ7X8V9yYac6Y7kGCPn'), 'J')).toBe(true)
    const url = `https://coffer.example/icons/tokens/solana/${mint}.svg`
    expect(urls.token('solana', mint, 'USDC')).toEqual({ imgSmall: url, imgLarge: url })
    expect(urls.token('solana', mint.replace('EPj', 'EPJ'), 'USDC').imgSmall).toContain('/icons/letters/')
  })

  it('draws native coins, by the chain where the coin has no icon of its own', () => {
    expect(icons.token('ethereum', NATIVE)).toBe(shipped('tokens/eth.svg'))
    expect(icons.token('sonic', NATIVE)).toBe(shipped('chains/sonic.svg'))
  })

  it('draws no icon of another token with the same symbol', () => {
    // ONE of Menlo, USDe of Monerium.
    expect(isDisc(icons.token('ethereum', '0x4d807509aece24c0fa5a102b6a3b059ec6e14392'), 'O')).toBe(true)
    const usde = shipped('tokens/usde.svg')
    expect(icons.token('ethereum', '0xbc5142e0cc5eb16b47c63b0f033d4c2480853a52')).not.toBe(usde)
    expect(icons.token('ethereum', '0x4c9edd5852cd905f086c759e8383e09bff1e68b3')).toBe(usde)
    // The symbol of a bridged coin differs from that of the coin.
    expect(icons.token('base', usdcOnBase)).toBe(shipped('tokens/usdc.svg'))
  })

  it('draws the letter of a configured token, and of a forgery only a question mark', () => {
    expect(isDisc(icons.token('base', configured), 'U')).toBe(true)
    expect(isDisc(icons.token('base', forged), '?')).toBe(true)
    expect(isDisc(icons.token('base', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'), '?')).toBe(true)
  })

  it('draws protocols by their token and every version of them alike', () => {
    expect(icons.protocol('aave_v3')).toBe(shipped('tokens/aave.svg'))
    expect(icons.protocol('aave_v2')).toBe(shipped('tokens/aave.svg'))
    expect(isDisc(icons.protocol('wallet'), 'W')).toBe(true)
    expect(isDisc(icons.protocol('constructor'), 'C')).toBe(true)
    for (const name of protocolIcons.values()) expect(icons.symbol(name)).toBe(shipped(`tokens/${name}.svg`))
  })

  it.each(['<script>', '"><a', '&amp;', '\u202e\u0000', '💰', ''])('writes nothing of %j into an SVG', (text) => {
    const svg = icons.symbol(text) ?? ''
    expect(svg).toMatch(/>[\p{L}\p{N}?]<\/text><\/svg>$/u)
    expect(svg).not.toContain('script')
  })

  it('refuses names that are not well formed', () => {
    expect(icons.chain('../chains/base')).toBeUndefined()
    expect(icons.chain('Base')).toBeUndefined()
    expect(icons.token('base', '0x12')).toBeUndefined()
    expect(icons.token('..', usdc)).toBeUndefined()
    expect(icons.protocol('aave v3')).toBeUndefined()
    expect(icons.symbol('x'.repeat(33))).toBeUndefined()
    expect(icons.symbol('\ud800')).toBeUndefined()
    expect(icons.letter('AB')).toBeUndefined()
    expect(icons.letter('<')).toBeUndefined()
  })

  it('ships plain drawings: nothing that runs, loads or embeds', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.svg'))
    expect(files.length).toBeGreaterThan(700)
    for (const file of files) {
      expect(shipped(file), file).not.toMatch(
        /<script|<foreignObject|<image|<iframe|\son\w+=|javascript:|href="[^#]|url\((?!#)/i,
      )
    }
  })
})

describe('icon URLs', () => {
  it('are absolute and lead to an icon', () => {
    expect(urls.chain('base').imgSmall).toBe('https://coffer.example/icons/chains/base.svg')
    expect(urls.token('ethereum', usdc, 'USDC').imgLarge).toBe(
      `https://coffer.example/icons/tokens/ethereum/${usdc}.svg`,
    )
    expect(urls.token('base', forged, 'USDC').imgSmall).toBe('https://coffer.example/icons/letters/U.svg')
    expect(urls.token('base', forged, '\ud800').imgSmall).toBe('https://coffer.example/icons/letters/%3F.svg')
    expect(urls.token('base', forged, '币安').imgSmall).toBe('https://coffer.example/icons/letters/%E5%B8%81.svg')
    expect(urls.symbol('BTC').imgSmall).toBe('https://coffer.example/icons/symbols/btc.svg')
    expect(urls.symbol('a/b').imgSmall).toBe('https://coffer.example/icons/letters/A.svg')
    expect(urls.protocol('aave_v3').imgSmall).toBe('https://coffer.example/icons/protocols/aave_v3.svg')
  })
})

describe('icons over HTTP', async () => {
  const { app } = await suiteApp({ endpoints: {}, handlers: {}, publicRoutes: iconRoutes(context) })

  it('are where their URLs say, without a key', async () => {
    const shown = [
      ...chains.map(({ key }) => urls.chain(key)),
      urls.token('ethereum', usdc, 'USDC'),
      ...['币安', '\ud800'].map((symbol) => urls.token('base', forged, symbol)),
      ...[urls.symbol('BTC'), urls.symbol('a/b'), urls.protocol('aave_v3')],
    ]
    for (const { imgSmall } of shown) {
      const icon = await app.inject(imgSmall.slice('https://coffer.example'.length))
      expect([icon.statusCode, icon.headers['content-type']], imgSmall).toEqual([200, 'image/svg+xml; charset=utf-8'])
    }
  })

  it('are SVG that may be kept for ever and runs nothing', async () => {
    const { body, headers } = await app.inject(`/icons/tokens/ethereum/${usdc}.svg`)
    expect(body).toBe(shipped('tokens/usdc.svg'))
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(headers['content-security-policy']).toContain("default-src 'none'")
  })

  it.each([
    ...['base', 'base.png', '.svg', 'base.svg.svg', '..%2fbase.svg', 'Base.svg'].map((file) => `/icons/chains/${file}`),
    ...['/icons/tokens/base/0x12.svg', '/icons/letters/%3C.svg'],
  ])('are not found at %s', async (path) => {
    const answer = await app.inject(path)
    expect([answer.statusCode, answer.json()]).toEqual([404, { error: 'Not Found', message: expect.any(String) }])
  })
})
