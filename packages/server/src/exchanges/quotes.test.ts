import { describe, expect, it } from 'vitest'
import { chooseMarkets } from './quotes.ts'

/** Chosen pairs, in order. A `!` before a market marks it as closed. */
function chosen(codes: string[], markets: string): string[] {
  const known = new Map(
    markets.split(' ').map((text) => {
      const symbol = text.replace('!', '')
      return [symbol, { symbol, quote: symbol.split('/')[1] ?? '', isOpen: symbol === text }]
    }),
  )
  return [...chooseMarkets(codes, (symbol) => known.get(symbol)).values()].map(({ symbol }) => symbol)
}

describe('the market that prices a coin', () => {
  it('is the first of USD, USDT, USDC, EUR, BTC and ETH that is open', () => {
    const markets = 'A/ETH A/BTC A/EUR A/USDC A/USDT A/USD B/ETH B/BTC B/EUR B/USDC !B/USDT !B/USD C/TRY'
    expect(chosen(['A', 'B', 'C', 'D'], markets)).toEqual(['A/USD', 'B/USDC'])
  })

  it('leads on to what it is quoted in, and never back', () => {
    const markets = 'A/ETH ETH/BTC BTC/EUR EUR/BTC EUR/USDT USDT/EUR USDT/ETH'
    expect(chosen(['A'], markets)).toEqual(['A/ETH', 'ETH/BTC', 'BTC/EUR', 'EUR/USDT'])
    expect(chosen(['USDT', 'USD'], 'USDT/BTC USD/USDT')).toEqual([])
  })

  it('is named once, however often its coin is', () => {
    expect(chosen(['BTC', 'BTC', 'A'], 'A/BTC BTC/USD')).toEqual(['BTC/USD', 'A/BTC'])
  })
})
