import { expect, test } from 'vitest'
import { splitAnswer } from './split-answer.ts'

const asset = (symbol: string, value: string, more: object = {}) => ({
  symbol,
  name: symbol,
  balance: '1',
  price: value,
  value,
  priceSource: 'chainlink',
  contract: '0xaa',
  chain: 'ethereum',
  chainKey: 'ethereum',
  chainContract: 'x',
  decimal: '18',
  imgSmall: 'http://x/y.png',
  ...more,
})
const group = (assets: object[], protocolPositions: object[] = []) => ({
  name: 'G',
  totalValue: '9',
  assets,
  protocolPositions,
})
const wallet = (address: string, incomplete: object[] = []) => ({
  address,
  networth: '71',
  asOf: { ethereum: { block: '5', timestamp: '2026-01-02T00:00:00Z' } },
  incomplete,
  ...{
    conversionRates: { ETH: '1' },
    priceAdapters: ['chainlink'],
    chains: { ethereum: { value: '71', name: 'Ethereum' } },
  },
  assetByProtocols: {
    wallet: {
      chains: { ethereum: { protocolPositions: { WALLET: group([asset('dust', '0.5'), asset('eth', '50.5')]) } } },
    },
    aave: {
      chains: {
        ethereum: {
          protocolPositions: {
            LENDING: group(
              [],
              [
                {
                  name: 'Main',
                  value: '20',
                  healthRate: '2',
                  assets: [],
                  supplyAssets: [asset('wbtc', '30')],
                  borrowAssets: [asset('usdc', '11', { side: 'borrow' })],
                  rewardAssets: [asset('aave', '1')],
                },
              ],
            ),
          },
        },
      },
    },
  },
})

test('holdings are one row an asset, with where it lies and what it is there, the most valuable first', () => {
  const { about, items } = splitAnswer([wallet('0x1')])
  const where = { protocol: 'aave', chain: 'ethereum', type: 'LENDING', position: 'Main', healthRate: '2' }
  const rest = { balance: '1', priceSource: 'chainlink', contract: '0xaa' }
  const held = { protocol: 'wallet', chain: 'ethereum', type: 'WALLET', role: 'held' }
  expect(items).toEqual([
    { ...held, ...rest, symbol: 'eth', name: 'eth', price: '50.5', value: '50.5' },
    { ...where, ...rest, role: 'held', symbol: 'wbtc', name: 'wbtc', price: '30', value: '30' },
    { ...where, ...rest, role: 'borrowed', side: 'borrow', symbol: 'usdc', name: 'usdc', price: '11', value: '11' },
    { ...where, ...rest, role: 'reward', symbol: 'aave', name: 'aave', price: '1', value: '1' },
    { ...held, ...rest, symbol: 'dust', name: 'dust', price: '0.5', value: '0.5' },
  ])
  expect(about).toEqual({
    wallets: [
      {
        address: '0x1',
        networth: '71',
        asOf: { ethereum: { block: '5', timestamp: '2026-01-02T00:00:00Z' } },
        incomplete: [],
        chains: { ethereum: '71' },
      },
    ],
    complete: true,
  })
})

test('rows of several wallets name theirs, and one gap makes all of it incomplete', () => {
  const { about, items } = splitAnswer([wallet('0x1'), wallet('0x2', [{ chain: 'base', reason: 'unreadable' }])])
  expect(items).toHaveLength(10)
  expect(items.filter((row) => (row as { wallet?: string }).wallet === '0x2')).toHaveLength(5)
  expect(about['complete']).toBe(false)
})

const searched = { chain: 'base', complete: true }
test.each([
  [{ transactions: [], coverage: [searched], syncs: [{ state: 'done' }] }, true],
  [{ transactions: [], coverage: [searched], syncs: [{ state: 'never' }] }, false],
  [{ transactions: [], coverage: [searched, { ...searched, complete: false }], syncs: [] }, false],
  [{ transactions: [], coverage: [{ ...searched, reason: 'pruned' }], syncs: [] }, false],
  [{ nav: '1', incomplete: [] }, true],
  [{ nav: '1', incomplete: [{ chain: 'base', reason: 'stale' }] }, false],
  [{ data: { id: '1' } }, undefined],
])('%j says whether it is complete: %s', (answer, complete) => {
  expect(splitAnswer(answer).about['complete']).toBe(complete)
})

test('an answer of one value, and of none', () => {
  expect(splitAnswer(19033)).toEqual({ about: { value: 19033 }, items: [] })
  expect(splitAnswer(undefined)).toEqual({ about: {}, items: [] })
})
