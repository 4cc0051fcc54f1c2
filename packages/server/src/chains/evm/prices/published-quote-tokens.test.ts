import { addressBook } from '@beefyfinance/blockchain-addressbook'
import { expect, it } from 'vitest'
import { PUBLISHED_FEEDS } from './chainlink-feed.ts'
import { PUBLISHED_QUOTE_TOKENS } from './uniswap-prices.ts'

it('names tokens that an oracle prices, with the decimals that the address book gives them', () => {
  const fed = new Set(PUBLISHED_FEEDS.map(({ chain, token }) => `${chain}:${token.toLowerCase()}`))
  const names = { ...addressBook, binance: addressBook.bsc, avalanche: addressBook.avax }
  for (const { chain, token, decimals } of PUBLISHED_QUOTE_TOKENS) {
    expect(fed, `${chain} ${token}`).toContain(`${chain}:${token.toLowerCase()}`)
    const listed = Object.values(names[chain as keyof typeof names].tokens).find(({ address }) => address === token)
    if (listed) expect([token, listed.decimals]).toEqual([token, decimals])
  }
})
