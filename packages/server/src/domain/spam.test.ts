import { describe, expect, it } from 'vitest'
import { isSpam, listedSymbols } from './spam.ts'
import type { Token } from './token.ts'

function token(symbol: string, name = symbol, listed = false): Token {
  return { chain: 'base', address: `0x${'11'.repeat(20)}`, symbol, name, decimals: 18, listed }
}

const known = listedSymbols([
  ...['USDC', 'USDT', 'ETH', 'WETH', 'DAI', '1INCH', 'SOL'].map((symbol) => token(symbol, symbol, true)),
  ...Array.from({ length: 4 }, () => token('UNI-V2', 'Uniswap V2', true)),
])

describe('spam', () => {
  it.each([
    ['FREENOVA', 'Claim at free-nova.example'],
    ['$ 5000', 'Visit us'],
    ['UniswapLP.com', 'Rewards'],
    ['ETHX', 'https://ethx'],
    ['GIFT', 'www.gift'],
    ['BOT', 't.me/bot'],
    ['USD', '$1000 voucher'],
    ['', 'No symbol'],
  ])('is bait: %j, %j', (symbol, name) => {
    expect(isSpam(token(symbol, name), known)).toBe(true)
  })

  it.each(['USDC', 'usdc', 'USDС', 'U5DC', 'USD\u200cC', 'ＵＳＤＣ', 'UЅDT', 'ΕTΗ', 'DАІ', 'S0L', 'linch', 'US-DC'])(
    'is an imitation of a listed token: %s',
    (symbol) => {
      expect(isSpam(token(symbol), known)).toBe(true)
    },
  )

  it.each([
    ['USDC.e', 'Bridged USDC'],
    ['aEthUSDC', 'Aave Ethereum USDC'],
    ['UNI-V2', 'Uniswap V2'],
    ['crvUSDCDAI', 'Curve.fi USDC/DAI'],
    ['yvDAI', 'yearn.finance DAI vault'],
    ['PEPE', 'Pepe v2.0'],
    ['币安人生', '币安人生'],
    ['NOVA', 'Nova'],
  ])('is honest: %s, %s', (symbol, name) => {
    expect(isSpam(token(symbol, name), known)).toBe(false)
  })

  it('never is a listed token', () => {
    expect(isSpam(token('BSCPAD', 'BSCPAD.com', true), known)).toBe(false)
    expect(isSpam(token('USDC', 'USD Coin', true), known)).toBe(false)
  })

  it('is recognised by its words where no list is at hand', () => {
    expect(isSpam(token('USDC'))).toBe(false)
    expect(isSpam(token('USDC', 'usdc-claim.io'))).toBe(true)
  })
})
