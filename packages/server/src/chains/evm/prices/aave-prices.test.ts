import * as book from '@aave-dao/aave-address-book'
import { expect, it } from 'vitest'
import { PUBLISHED_AAVE_ORACLES } from './aave-prices.ts'

it('names the oracles of Aave’s markets as the address book does', () => {
  const markets = {
    ethereum: [book.AaveV3Ethereum, book.AaveV3EthereumLido, book.AaveV3EthereumEtherFi, book.AaveV2Ethereum],
    arbitrum: [book.AaveV3Arbitrum],
    base: [book.AaveV3Base],
    optimism: [book.AaveV3Optimism],
    polygon: [book.AaveV3Polygon, book.AaveV2Polygon],
    binance: [book.AaveV3BNB],
    avalanche: [book.AaveV3Avalanche, book.AaveV2Avalanche],
    gnosis: [book.AaveV3Gnosis],
    linea: [book.AaveV3Linea],
  }
  const published = Object.entries(markets).flatMap(([chain, list]) =>
    list.map((market) => `${chain} ${market.ORACLE}`),
  )
  expect(PUBLISHED_AAVE_ORACLES.map(({ chain, oracle }) => `${chain} ${oracle}`).sort()).toEqual(published.sort())
})
