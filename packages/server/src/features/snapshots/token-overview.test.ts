import { expect, test } from 'vitest'
import { tokenOf } from '../../../test/wallet-reads.ts'
import { decimal } from '../../domain/decimal.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import { type ValuedAsset, type ValuedRead, valueAsset, valuePosition } from '../../domain/valuation.ts'
import { presentTokenOverview } from './token-overview.ts'

const ETH: EvmAddress = '0x0000000000000000000000000000000000000000'
const USDC: EvmAddress = `0x${'c'.repeat(40)}`
const BRIDGED: EvmAddress = `0x${'b'.repeat(40)}`
const ODD: EvmAddress = `0x${'d'.repeat(40)}`

const tokens = [
  tokenOf(ETH, 'eth', { name: 'Ether' }),
  tokenOf(USDC, 'USDC', { name: 'USD Coin' }),
  tokenOf(BRIDGED, 'USDC.e', { name: 'Bridged USDC' }),
  tokenOf(ODD, 'Odd', { name: 'Odd One' }),
]

function asset(address: EvmAddress, balance: string, usd?: string): ValuedAsset {
  const token = tokens.find((each) => each.address === address) ?? expect.fail('no such token')
  const price = usd === undefined ? undefined : { usd: decimal(usd), source: 'chainlink' }
  return valueAsset(token, decimal(balance), price)
}

type Sides = { supplied?: ValuedAsset[]; borrowed?: ValuedAsset[]; rewards?: ValuedAsset[] }

function read(chain: string, held: ValuedAsset[], positions: Record<string, Sides> = {}): ValuedRead {
  const valued = Object.entries(positions).map(([protocol, { supplied = [], borrowed = [], rewards = [] }]) =>
    valuePosition({ protocol, kind: 'lending', label: '' }, supplied, borrowed, rewards),
  )
  return { read: { chain, readAt: 0, gaps: [] }, direct: held, held, positions: valued, value: decimal('0') }
}

const image = (url: string) => ({ imgSmall: url, imgLarge: `${url}?large` })
const coins = new Map<string, string>([
  [ETH, 'ETH'],
  [USDC, 'USDC'],
  [BRIDGED, 'USDC'],
])
const presentation = {
  identityOf: (chain: string, address: string) => coins.get(address) ?? `${chain}:${address}`,
  protocolName: (key: string) => key.toUpperCase(),
  icons: {
    token: (chain: string, address: string) => image(`/${chain}/${address}`),
    ...{ protocol: (key: string) => image(`/${key}`), chain: image, symbol: image },
  },
}
const overview = (...reads: ValuedRead[]) => presentTokenOverview(reads, presentation)

test('a coin is counted over chains and protocols, what is borrowed subtracted', () => {
  const items = overview(
    read('ethereum', [asset(ETH, '2', '3000'), asset(USDC, '500', '1')], {
      aave_v3: { supplied: [asset(ETH, '1.5', '3000')], borrowed: [asset(USDC, '200', '1')] },
    }),
    read('base', [asset(ETH, '0.5', '3000'), asset(BRIDGED, '1700', '1')], {
      aave_v3: { supplied: [asset(ETH, '1', '3000')] },
      farm: { rewards: [asset(USDC, '1000', '1')] },
    }),
  )
  // 5 ether of 3,000; 500 + 1,700 + 1,000 − 200 = 3,000 of USDC. 15,000 of 18,000 is 83.3333… %.
  expect(items).toEqual([
    {
      ...{ image: `/ethereum/${ETH}`, symbol: 'ETH', name: 'Ether', displaySymbol: 'eth', displayName: 'Ether' },
      ...{ price: '3000', balance: '5', value: '15000', percentage: '83.333333' },
      protocolsDetailed: [
        { key: 'aave_v3', name: 'AAVE_V3', value: '7500', balance: '2.5', image: '/aave_v3' },
        { key: 'wallet', name: 'Wallet', value: '7500', balance: '2.5', image: '' },
      ],
    },
    {
      // The largest part's.
      ...{ image: `/base/${BRIDGED}`, symbol: 'USDC.E', name: 'Bridged USDC' },
      ...{ displaySymbol: 'USDC.e', displayName: 'Bridged USDC' },
      ...{ price: '1', balance: '3000', value: '3000', percentage: '16.666667' },
      protocolsDetailed: [
        { key: 'wallet', name: 'Wallet', value: '2200', balance: '2200', image: '' },
        { key: 'farm', name: 'FARM', value: '1000', balance: '1000', image: '/farm' },
        { key: 'aave_v3', name: 'AAVE_V3', value: '-200', balance: '-200', image: '/aave_v3' },
      ],
    },
  ])
})

test('a coin that costs different things on two chains has their mean by amount', () => {
  const [item] = overview(read('ethereum', [asset(USDC, '300', '1')]), read('base', [asset(BRIDGED, '100', '0.98')]))
  // (300 × 1 + 100 × 0.98) ÷ 400
  expect(item).toMatchObject({ price: '0.995', balance: '400', value: '398', percentage: '100' })
})

test('an amount without a price is worth what its coin is elsewhere; a coin without any comes last', () => {
  const items = overview(
    read('ethereum', [asset(ODD, '7'), asset(USDC, '10', '1')]),
    read('base', [asset(BRIDGED, '5'), asset(ETH, '0.0001', '3000')]),
  )
  expect(items.map(({ symbol, price, value, percentage }) => [symbol, price, value, percentage])).toEqual([
    ['USDC', '1', '15', '98.039216'],
    ['ETH', '3000', '0.3', '1.960784'],
    ['ODD', '0', '0', '0'],
  ])
})

test('a coin that is owed is negative and has no share', () => {
  const items = overview(
    read('ethereum', [asset(ETH, '1', '3000')], { aave_v3: { borrowed: [asset(USDC, '1000', '1')] } }),
  )
  expect(items.map(({ balance, value, percentage }) => [balance, value, percentage])).toEqual([
    ['1', '3000', '100'],
    ['-1000', '-1000', '0'],
  ])
})

test('equal contracts of two chains that are on no list are two coins; nothing is nothing', () => {
  expect(overview(read('ethereum', [asset(ODD, '1', '2')]), read('base', [asset(ODD, '1', '2')]))).toHaveLength(2)
  expect(overview(read('ethereum', []))).toEqual([])
})
