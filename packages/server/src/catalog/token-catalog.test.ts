import { describe, expect, it } from 'vitest'
import { facesOf } from '../chains/chain.ts'
import { chains } from '../chains/chain-types.ts'
import { NATIVE } from '../domain/evm-address.ts'
import type { Token } from '../domain/token.ts'
import { createTokenCatalog } from './token-catalog.ts'

const catalog = createTokenCatalog({ chains, configTokens: [] })

describe('token catalog', () => {
  it('begins with the native coin and knows the wrapped one', () => {
    const [native] = catalog.list('binance')
    expect(native).toMatchObject({ chain: 'binance', address: NATIVE, symbol: 'BNB', decimals: 18, listed: true })
    for (const chain of chains.filter((candidate) => candidate.wrappedNative !== null)) {
      const wrapped = chain.wrappedNative && catalog.find(chain.key, chain.wrappedNative)
      expect(wrapped, chain.key).toMatchObject({ decimals: chain.native.decimals, listed: true })
    }
  })

  it.each([
    ['ethereum', '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', 'USDC', 6],
    ['ethereum', '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599', 'WBTC', 8],
    ['base', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', 'USDC', 6],
    ['binance', '0x55d398326f99059ff775485246999027b3197955', 'USDT', 18],
    ['gnosis', '0xddafbb505ad214d7b80b1f830fccc89b60fb7a83', 'USDC', 6],
  ] as const)('%s lists %s', (chain, address, symbol, decimals) => {
    expect(catalog.find(chain, address)).toMatchObject({ chain, address, decimals, listed: true })
    expect(catalog.find(chain, address)?.symbol.toUpperCase()).toContain(symbol)
  })

  it('lists each contract once, on the EVM in lower case, with decimals an amount can have, and no ERC-20 face of a coin', () => {
    for (const chain of chains) {
      const tokens = catalog.list(chain.key)
      expect(new Set(tokens.map((token) => token.address)).size).toBe(tokens.length)
      for (const token of tokens) {
        expect(token.address).toMatch(chain.family === 'evm' ? /^0x[0-9a-f]{40}$/ : /^[1-9A-HJ-NP-Za-km-z]{32,44}$/)
        expect(Number.isInteger(token.decimals) && token.decimals >= 0 && token.decimals <= 77).toBe(true)
        expect(token.symbol).not.toBe('')
        expect(facesOf(chain)).not.toContain(token.address)
      }
    }
  })

  it.each([
    ['gnosis', '0xcb444e90d8198415266c6a2724b7900fb12fc56e', '0x420ca0f9b9b604ce0fd9c18ef134c705e5fa3430', 'EURe'],
    ['polygon', '0x18ec0a6e18e5bc3784fdd3a3634b31245ab704f6', '0xe0aea583266584dafbb3f9c3211d5588c73fea8d', 'EURe'],
    ['ethereum', '0x3231cb76718cdef2155fc47b5286d82e6eda273f', '0x39b8b6385416f4ca36a20319f70d28621895279d', 'EURe'],
    ['ethereum', '0x7ba92741bf2a568abc6f1d3413c58c6e0244f8fd', '0x78a20b7af85156b4389a349aa4c96efc2e509768', 'GBPe'],
  ])('lists on %s the token that %s shows once more', (chain, face, token, symbol) => {
    expect(catalog.find(chain, face)).toBeUndefined()
    expect(catalog.find(chain, token)).toMatchObject({ address: token, symbol, decimals: 18, listed: true })
  })

  it('has something to look for on each chain of a first start', () => {
    const counts = Object.fromEntries(chains.map((chain) => [chain.key, catalog.list(chain.key).length]))
    expect(counts['ethereum']).toBeGreaterThan(900)
    for (const key of 'arbitrum avalanche base binance fantom optimism polygon'.split(' ')) {
      expect(counts[key], key).toBeGreaterThan(200)
    }
    for (const key of ['gnosis', 'linea']) expect(counts[key], key).toBeGreaterThan(30)
  })

  it('knows nothing of an unknown chain', () => {
    expect(catalog.list('nope')).toEqual([])
    expect(catalog.list('../chains')).toEqual([])
    expect(catalog.find('nope', NATIVE)).toBeUndefined()
  })

  it('lets the operator add tokens and correct listed ones, but not count a coin twice', () => {
    const row = (address: `0x${string}`, symbol: string): Token => ({
      chain: 'polygon',
      address,
      symbol,
      name: symbol,
      decimals: 6,
      listed: true,
    })
    const added = row(`0x${'ab'.repeat(20)}`, 'NEW')
    const corrected = row('0x2791bca1f2de4661ed88a30c99a7a9449aa84174', 'USDC.OLD')
    const face = row('0x0000000000000000000000000000000000001010', 'POL')
    const own = createTokenCatalog({ chains, configTokens: [added, corrected, face] })
    expect(own.find('polygon', added.address)).toEqual(added)
    expect(own.find('polygon', corrected.address)?.symbol).toBe('USDC.OLD')
    expect(own.find('polygon', face.address)).toBeUndefined()
    expect(own.list('polygon')).toHaveLength(catalog.list('polygon').length + 1)
    expect(own.find('base', added.address)).toBeUndefined()
  })

  it('knows well-known mints of Solana, and what imitates them', () => {
    const listed = (address: string) => {
      const { symbol, name, decimals } = catalog.find('solana', address) ?? {}
      return [symbol, name, decimals]
    }
    expect(listed('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')).toEqual(['USDC', 'USDC', 6])
    expect(listed('DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263')).toEqual(['BONK', 'Bonk', 5])
    expect(listed('J1toso1uCk3RLmjorhTtrVwY9HJ7X8V9yYac6Y7kGCPn')).toEqual(['JitoSOL', 'Jito Staked SOL', 9])
    expect(listed('5oVNBeEEQvYi1cX3ir8Dx5n1P7pdxydbGF2X4TxVusJm')).toEqual(['INF', 'Sanctum Infinity', 9])
    expect(listed('So11111111111111111111111111111111111111112')).toEqual(['WSOL', 'Wrapped Solana', 9])
    const imitation = { chain: 'solana', address: 'x', symbol: 'UЅDC', name: 'USD Coin', decimals: 6, listed: false }
    expect(catalog.isSpam(imitation)).toBe(true)
    expect(catalog.isSpam({ ...imitation, symbol: 'OWN' })).toBe(false)
  })

  it('tells bait by its words and by the symbols that are listed on its chain', () => {
    const token = (chain: string, symbol: string, listed = false): Token => {
      return { chain, address: `0x${'ef'.repeat(20)}`, symbol, name: symbol, decimals: 18, listed }
    }
    expect(catalog.isSpam(token('ethereum', 'USDС'))).toBe(true)
    expect(catalog.isSpam(token('ethereum', 'ETH'))).toBe(true)
    expect(catalog.isSpam(token('ethereum', 'ETH', true))).toBe(false)
    expect(catalog.isSpam(token('binance', 'XDAI'))).toBe(false)
    expect(catalog.isSpam(token('gnosis', 'XDAI'))).toBe(true)
    expect(catalog.isSpam(token('nope', 'claim.io'))).toBe(true)
    expect(catalog.isSpam(token('ethereum', 'UNI-V2'))).toBe(false)
  })
})
