import * as book from '@aave-dao/aave-address-book'
import { describe, expect, it } from 'vitest'
import { findAggregator, PUBLISHED_FEEDS } from './published-feeds.ts'

const BOOKS = {
  ethereum: book.ChainlinkEthereum,
  arbitrum: book.ChainlinkArbitrum,
  base: book.ChainlinkBase,
  optimism: book.ChainlinkOptimism,
  polygon: book.ChainlinkPolygon,
  binance: book.ChainlinkBNB,
  avalanche: book.ChainlinkAvalanche,
  gnosis: book.ChainlinkGnosis,
  linea: book.ChainlinkLinea,
}
const PAIRS = [
  ...['ETH', 'BTC', 'WBTC', 'USDC', 'USDT', 'DAI', 'LINK', 'UNI', 'AAVE', 'STETH', 'WSTETH', 'MATIC', 'BNB', 'AVAX'],
  ...['SOL', 'EUR', 'GBP', 'JPY', 'CNY', 'CAD', 'CHF', 'AUD', 'SGD'],
].flatMap((symbol) => [`${symbol}/USD`, `${symbol}/ETH`, `${symbol}/BTC`])

describe('published feeds', () => {
  it.each(Object.entries(BOOKS))('names aggregators of %s as the address book does', (chain, published) => {
    const listed = PAIRS.flatMap((pair) => findAggregator(chain, pair) ?? [])
    const byPair = new Map<string, unknown>(Object.entries(published))
    for (const pair of PAIRS) {
      const leg = findAggregator(chain, pair)
      if (leg) expect([pair, leg.aggregator]).toEqual([pair, byPair.get(pair.replace('/', '__'))])
    }
    const used = PUBLISHED_FEEDS.filter((row) => row.chain === chain).flatMap((row) => row.path)
    expect(used.length).toBeGreaterThan(0)
    for (const leg of used) expect(listed).toContain(leg)
  })

  it.each([
    ['ethereum', 'ETH/USD', 3_600],
    ['ethereum', 'USDC/USD', 82_800],
    ['arbitrum', 'ETH/USD', 3_600],
    ['base', 'ETH/USD', 3_600],
    ['polygon', 'MATIC/USD', 3_600],
    ['binance', 'USDT/USD', 3_600],
    ['avalanche', 'AVAX/USD', 3_600],
    ['avalanche', 'ETH/USD', 86_400],
    ['linea', 'ETH/USD', 86_400],
    ['polygon', 'EUR/USD', 172_800],
  ])(
    'believes %s %s for what it promises, an hour at least and a weekend where markets close',
    (chain, pair, seconds) => {
      expect(findAggregator(chain, pair)?.heartbeatSeconds).toBe(seconds)
    },
  )

  it('believes what was said in the past for a day at least', () => {
    for (const { path } of PUBLISHED_FEEDS)
      for (const leg of path) expect(leg.pastSeconds).toBeGreaterThanOrEqual(86_400)
  })

  it('names each token of a chain once and leaves no path empty', () => {
    const keys = PUBLISHED_FEEDS.map((row) => `${row.chain}:${row.token.toLowerCase()}`)
    expect(new Set(keys).size).toBe(keys.length)
    for (const row of PUBLISHED_FEEDS) expect(row.path.length, `${row.chain} ${row.token}`).toBeGreaterThan(0)
  })
})
