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

  it('names each token of a chain once and leaves no path empty', () => {
    const keys = PUBLISHED_FEEDS.map((row) => `${row.chain}:${row.token.toLowerCase()}`)
    expect(new Set(keys).size).toBe(keys.length)
    for (const row of PUBLISHED_FEEDS) expect(row.path.length, `${row.chain} ${row.token}`).toBeGreaterThan(0)
  })
})
