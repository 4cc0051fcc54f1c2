import { expect, test } from 'vitest'
import type { Holding } from '../../api/holdings.ts'
import { byChain, byCoin, byProtocol, largest, netWorthOf } from './allocation.ts'

const asset = (symbol: string, value: string, more = {}) => ({
  symbol: symbol.toLowerCase(),
  displaySymbol: symbol,
  displayName: symbol,
  price: '1',
  value,
  priceSource: 'chainlink',
  ...more,
})

/** 100.10 in ETH on two chains: a tenth is lent against 20.05 of debt. */
const holdings = [
  {
    address: '0xa',
    networth: '80.05',
    chains: {
      ethereum: { key: 'ethereum', name: 'Ethereum', value: '60.05' },
      base: { key: 'base', name: 'Base', value: '20' },
    },
    assetByProtocols: {
      wallet: { key: 'wallet', name: 'Wallet', value: '90.10', assets: [asset('stETH', '90.10')] },
      aave_v3: {
        key: 'aave_v3',
        name: 'Aave V3',
        value: '-10.05',
        assets: [asset('stETH', '10'), asset('USDC', '20.05', { side: 'borrow' })],
      },
    },
  },
  {
    address: '0xb',
    networth: '19.95',
    chains: { base: { key: 'base', name: 'Base', value: '19.95' } },
    assetByProtocols: {
      wallet: {
        key: 'wallet',
        name: 'Wallet',
        value: '19.95',
        assets: [asset('USDC', '19.95'), asset('stETH', '0', { priceSource: null }), asset('free', '0')],
      },
    },
  },
] as unknown as Holding[]

test('the net worth is the sum of the addresses, exactly', () => {
  expect(netWorthOf(holdings)).toBe('100')
  expect(netWorthOf(holdings.slice(0, 1))).toBe('80.05')
})

test('chains and protocols are added over addresses, the largest first', () => {
  expect(byChain(holdings)).toEqual([
    { key: 'ethereum', label: 'Ethereum', value: '60.05', share: '0.6005' },
    { key: 'base', label: 'Base', value: '39.95', share: '0.3995' },
  ])
  expect(byProtocol(holdings).map(({ key, value }) => [key, value])).toEqual([
    ['wallet', '110.05'],
    ['aave_v3', '-10.05'],
  ])
})

test('a coin is less by what is owed of it; what is worth nothing is left out', () => {
  expect(byCoin(holdings).map(({ label, value }) => [label, value])).toEqual([
    ['stETH', '100.1'],
    ['USDC', '-0.1'],
  ])
})

test('small parts are merged', () => {
  const slices = ['5', '4', '3', '2.5'].map((value, n) => ({ key: `${n}`, label: `${n}`, value, share: `0.${n}` }))
  expect(largest(slices, 3, String)).toEqual(slices)
  expect(largest(slices, 2, (n) => `${n} others`).at(-1)).toEqual({
    key: '',
    label: '2 others',
    value: '5.5',
    share: '0.5',
  })
})
