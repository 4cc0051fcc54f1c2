import { expect, test } from 'vitest'
import { chains } from '../chains/chain-types.ts'
import { NATIVE } from '../domain/evm-address.ts'
import { createTokenCatalog } from './token-catalog.ts'
import { createIsOneCoin, createTokenIdentity } from './token-identity.ts'

const identityOf = createTokenIdentity(createTokenCatalog({ chains, configTokens: [] }))

const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const usdcOnBase = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const bridgedUsdcOnBase = '0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca'
const usdcOnBinance = '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d'
const usdt = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const linkOnEthereum = '0x514910771af9ca656af840dff83e8264ecf986ca'
const linkOnBinance = '0xf8a0bf9cf54bb92f17374d9e9a321e6a111a51bd'
const wethOnEthereum = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'

test('a coin is the same over chains and bridges', () => {
  const here = identityOf('ethereum', usdc)
  expect(identityOf('base', usdcOnBase)).toBe(here)
  expect(identityOf('base', bridgedUsdcOnBase)).toBe(here)
  expect(identityOf('binance', usdcOnBinance)).toBe(here)
  expect(identityOf('binance', linkOnBinance)).toBe(identityOf('ethereum', linkOnEthereum))
  expect(identityOf('base', NATIVE)).toBe(identityOf('ethereum', NATIVE))
})

test('different coins are different', () => {
  const identities = [
    identityOf('ethereum', usdc),
    identityOf('ethereum', usdt),
    identityOf('ethereum', NATIVE),
    identityOf('ethereum', wethOnEthereum),
    identityOf('binance', NATIVE),
    // USDe of Ethena and of Monerium, LUSD of Liquity and of Linear.
    identityOf('ethereum', '0x4c9edd5852cd905f086c759e8383e09bff1e68b3'),
    identityOf('ethereum', '0xbc5142e0cc5eb16b47c63b0f033d4c2480853a52'),
    identityOf('ethereum', '0x5f98805a4e8be255a32880fdec7f6728c6568ba0'),
    identityOf('binance', '0x23e8a70534308a4aaf76fb8c32ec13d17a3bd89e'),
  ]
  expect(new Set(identities).size).toBe(identities.length)
})

test('a token on no list is itself, whatever it calls itself', () => {
  const unlisted = `0x${'ab'.repeat(20)}` as const
  expect(identityOf('ethereum', unlisted)).toBe(`ethereum:${unlisted}`)
  expect(identityOf('base', unlisted)).toBe(`base:${unlisted}`)
})

test('a symbol is of one coin where all of its listed tokens are the same', () => {
  const isOneCoin = createIsOneCoin(createTokenCatalog({ chains, configTokens: [] }), chains)
  for (const symbol of ['usdc', 'USDT', 'WETH', 'cbETH', 'AERO', 'FLUX', 'USD₮0'])
    expect(isOneCoin(symbol), symbol).toBe(true)
  // Harmony's coin and Menlo's token; Ethena's dollar and Monerium's.
  for (const symbol of ['ONE', 'USDe', 'LUNA', 'PRIME', 'USDS', 'PEPE', 'no such symbol'])
    expect(isOneCoin(symbol), symbol).toBe(false)
})
