import { expect, test } from 'vitest'
import { holdingsOf, type PastPortfolio } from './holdings.ts'

const asset = (symbol: string, priceSource: string | null) => ({
  displaySymbol: symbol,
  displayName: 'Name',
  price: '0',
  value: '0',
  priceSource,
})

test('lists assets of all wallets and protocols; what has no price is not known', () => {
  const portfolio = (address: string, assets: object[]) =>
    ({ address, assetByProtocols: { wallet: { key: 'wallet', name: 'Wallet', assets } } }) as unknown as PastPortfolio
  const [first, second, third] = holdingsOf([
    portfolio('0xa', [asset('stETH', 'aave'), asset('', null)]),
    portfolio('0xb', [asset('stETH', 'aave')]),
  ])
  expect(first).toMatchObject({ wallet: '0xa', protocol: 'Wallet', symbol: 'stETH', price: '0', value: '0' })
  expect(second).toMatchObject({ symbol: 'Name', price: 'N/A', value: 'N/A' })
  expect(new Set([first, second, third].map((one) => one?.key)).size).toBe(3)
})
