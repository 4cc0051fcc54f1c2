import { expect, test } from 'vitest'
import type { Holding } from '../../api/holdings.ts'
import { isSmall, matches, protocolSections, tokenRows } from './rows.ts'

const asset = (symbol: string, value: string, more = {}) => ({
  symbol,
  value,
  name: `${symbol} coin`,
  chain: 'ethereum',
  contract: `0x${symbol}`,
  chainContract: `ethereum:0x${symbol}`,
  priceSource: 'chainlink',
  ...more,
})
const totals = { totalCostBasis: 'N/A', totalOpenPnl: 'N/A', totalClosedPnl: 'N/A' }
const lists = {
  assets: [],
  supplyAssets: [],
  borrowAssets: [],
  rewardAssets: [],
  dexAssets: [],
  marginAssets: [],
  baseAssets: [],
  quoteAssets: [],
}

const holding = (address: string, assetByProtocols: object) => ({ address, assetByProtocols }) as unknown as Holding

const wallet = (assets: object[]) => ({
  wallet: {
    key: 'wallet',
    name: 'Wallet',
    value: '0',
    chains: { ethereum: { key: 'ethereum', name: 'Ethereum', protocolPositions: { WALLET: { assets } } } },
  },
})

const lending = {
  aave_v3: {
    key: 'aave_v3',
    name: 'Aave V3',
    value: '3.5',
    chains: {
      ethereum: {
        key: 'ethereum',
        name: 'Ethereum',
        protocolPositions: {
          LENDING: {
            name: 'Lending',
            totalValue: '3.5',
            ...totals,
            unlockAt: '0',
            assets: [],
            protocolPositions: [
              {
                ...lists,
                ...totals,
                name: 'Core',
                value: '3.5',
                unlockAt: '1800000000',
                healthRate: '1.05',
                poolAddress: '0xpool',
                supplyAssets: [asset('weth', '5')],
                borrowAssets: [asset('usdc', '1.5')],
              },
            ],
          },
        },
      },
    },
  },
}

const deposit = (value: string) => ({
  lido: {
    key: 'lido',
    name: 'Lido',
    value,
    chains: {
      ethereum: {
        key: 'ethereum',
        name: 'Ethereum',
        protocolPositions: {
          DEPOSIT: {
            name: 'Deposit',
            totalValue: value,
            ...totals,
            unlockAt: '0',
            assets: [asset('steth', value)],
            protocolPositions: [],
          },
        },
      },
    },
  },
})

test('tokens of all addresses are rows with their own keys; small and unpriced tokens are separate', () => {
  const assets = [
    asset('eth', '1'),
    asset('dust', '0.999999999999999999'),
    asset('free', '0', { priceSource: null }),
    asset('eth', '1'),
  ]
  const rows = tokenRows([holding('0xa', wallet(assets)), holding('0xb', wallet(assets)), holding('0xc', {})])
  expect(rows).toHaveLength(8)
  expect(new Set(rows.map(({ key }) => key)).size).toBe(8)
  expect(rows.slice(0, 4).map(isSmall)).toEqual([false, true, true, false])
  expect(rows.filter((row) => matches(row, ' DUST ')).map(({ asset: { symbol } }) => symbol)).toEqual(['dust', 'dust'])
  expect(rows.filter((row) => matches(row, ''))).toHaveLength(8)
})

test('protocols are added over addresses, most valuable first, and their positions are named by their assets', () => {
  const sections = protocolSections([
    holding('0xa', { ...wallet([]), ...deposit('2.25'), ...lending }),
    holding('0xb', deposit('1.5')),
  ])
  expect(sections.map(({ key, value, entries }) => [key, value, entries.length])).toEqual([
    ['lido', '3.75', 2],
    ['aave_v3', '3.5', 1],
  ])
  const [stake] = sections[0]?.entries ?? []
  expect(stake).toMatchObject({ type: 'Deposit', name: '', value: '2.25', unlockAt: null, health: null })
  expect(stake?.lists.map(({ side, assets }) => [side, assets.length])).toEqual([['supplied', 1]])
  const [loan] = sections[1]?.entries ?? []
  expect(loan).toMatchObject({ name: 'Core', unlockAt: '1800000000', health: '1.05', contract: '0xpool' })
  expect(loan?.lists.map(({ side }) => side)).toEqual(['supplied', 'borrowed'])
})
