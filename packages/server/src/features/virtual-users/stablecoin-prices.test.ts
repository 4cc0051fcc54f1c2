import { expect, test } from 'vitest'
import { decimal, formatDecimal } from '../../domain/decimal.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { createStablecoinPrices } from './coin-prices.ts'

const usdt = `0x${'1'.repeat(40)}` as const
const other = `0x${'2'.repeat(40)}` as const

type Chain = { listed: (typeof usdt)[]; usd: string | 'down' | null }

/** Prices over chains that list USDT under these addresses, and an API with coins by name. */
function rig(chains: Record<string, Chain>, coins: Record<string, string | 'down'> = {}) {
  const state = { now: 1_000_000, asked: [] as string[] }
  const prices = createStablecoinPrices({
    chains: Object.keys(chains),
    catalog: {
      list: (chain) =>
        (chains[chain]?.listed ?? []).map((address) => ({
          ...{ chain, address, symbol: 'usdt', name: 'Tether', decimals: 6, listed: true },
        })),
    },
    async readTokens(chain, amounts) {
      state.asked.push(chain)
      const usd = chains[chain]?.usd
      if (usd === 'down') throw new UpstreamError('unavailable', 'down')
      const price = usd && { chain, token: usdt, usd: decimal(usd), source: 'chainlink', confidence: 1 }
      expect([...amounts.values()].map(formatDecimal)).toEqual(['0'])
      return { block: 1n, blockTime: 1, tokens: [], prices: price ? [price] : [], gaps: [] }
    },
    coins: [
      {
        name: 'coingecko',
        async usdPerCoin(id) {
          state.asked.push(id)
          if (coins[id] === 'down') throw new UpstreamError('unavailable', 'down')
          return coins[id] === undefined ? undefined : decimal(coins[id])
        },
      },
    ],
    clock: { now: () => state.now },
    log: { warn: () => undefined },
  })
  const ask = async (symbol = 'USDT') => {
    const found = await prices.price(symbol)
    return found && `${formatDecimal(found.usd)} ${found.source}`
  }
  return { state, ask }
}

test('the first chain that can price its one token of the symbol sets the price', async () => {
  const { state, ask } = rig({
    a: { listed: [], usd: '7' },
    b: { listed: [usdt, other], usd: '7' },
    c: { listed: [usdt], usd: null },
    d: { listed: [usdt], usd: 'down' },
    e: { listed: [usdt], usd: '0.9991' },
    f: { listed: [usdt], usd: '7' },
  })
  expect(await ask()).toBe('0.9991 chainlink')
  expect(state.asked).toEqual(['c', 'd', 'e'])
})

test('without a chain an API sets the price, and without an API there is none: it is not taken for a dollar', async () => {
  expect(await rig({}, { tether: '1.0002' }).ask()).toBe('1.0002 coingecko')
  expect(await rig({}, { tether: 'down' }).ask()).toBeUndefined()
  expect(await rig({}).ask()).toBeUndefined()
  const { state, ask } = rig({ a: { listed: [usdt], usd: '1' } })
  expect(await ask('BTC')).toBeUndefined()
  expect(state.asked).toEqual([])
})

test('an answer is kept for a minute for all callers; a missing one is not', async () => {
  const { state, ask } = rig({ a: { listed: [usdt], usd: '1.5' } })
  expect(await Promise.all([ask(), ask()])).toEqual(['1.5 chainlink', '1.5 chainlink'])
  state.now += 59_999
  await ask()
  expect(state.asked).toEqual(['a'])
  state.now += 1
  await ask()
  expect(state.asked).toEqual(['a', 'a'])
  const nobody = rig({ a: { listed: [usdt], usd: null } })
  await nobody.ask()
  await nobody.ask()
  expect(nobody.state.asked).toEqual(['a', 'tether', 'a', 'tether'])
})
