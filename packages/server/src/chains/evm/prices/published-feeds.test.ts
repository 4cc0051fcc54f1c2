import * as book from '@aave-dao/aave-address-book'
import { describe, expect, it } from 'vitest'
import { findAggregator, PUBLISHED_FEEDS } from './chainlink-feed.ts'
import feeds from './chainlink-feeds.json' with { type: 'json' }

const BOOKS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ethereum: book.ChainlinkEthereum,
  arbitrum: book.ChainlinkArbitrum,
  base: book.ChainlinkBase,
  optimism: book.ChainlinkOptimism,
  polygon: book.ChainlinkPolygon,
  binance: book.ChainlinkBNB,
  avalanche: book.ChainlinkAvalanche,
  gnosis: book.ChainlinkGnosis,
  linea: book.ChainlinkLinea,
  sonic: book.ChainlinkSonic,
  scroll: book.ChainlinkScroll,
  celo: book.ChainlinkCelo,
  mantle: book.ChainlinkMantle,
  zksync: book.ChainlinkZkSync,
  soneium: book.ChainlinkSoneium,
  metis: book.ChainlinkMetis,
}

describe('published feeds', () => {
  it.each(Object.entries(feeds))('names aggregators of %s as the address book does', (chain, { aggregators }) => {
    const published = Object.keys(aggregators).map((pair) => [pair, BOOKS[chain]?.[pair.replace('/', '__')]])
    expect(Object.entries(aggregators)).toEqual(published)
    for (const row of PUBLISHED_FEEDS.filter((each) => each.chain === chain))
      for (const leg of row.path) expect(Object.values(aggregators)).toContain(leg.aggregator)
  })

  it('names only pairs that have an aggregator', () => {
    for (const [chain, { tokens, others }] of Object.entries(feeds))
      for (const pairs of Object.values({ ...tokens, ...others }))
        for (const pair of pairs) expect(findAggregator(chain, pair), `${chain} ${pair}`).toBeDefined()
  })

  it('ends every path in USD, by feeds that follow each other', () => {
    for (const { tokens, others } of Object.values(feeds))
      for (const pairs of Object.values({ ...tokens, ...others })) {
        expect(pairs.at(-1)).toMatch(/\/USD$/)
        for (const [at, pair] of pairs.slice(1).entries()) expect(pairs[at]?.split('/')[1]).toBe(pair.split('/')[0])
      }
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
