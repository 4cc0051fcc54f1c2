import { expect, test } from 'vitest'
import { decimal } from '../../domain/decimal.ts'
import { valueAsset } from '../../domain/valuation.ts'
import { conversionRates, createLatestRates, NO_COIN_RATES, presentRates } from './conversion-rates.ts'

const asset = (symbol: string, { usd, balance = '1', listed }: { usd?: string; balance?: string; listed: boolean }) =>
  valueAsset(
    { address: '0x00000000000000000000000000000000000000aa', symbol, name: symbol, decimals: 18, listed },
    decimal(balance),
    usd === undefined ? undefined : { usd: decimal(usd), source: 'test' },
  )

const coins = new Map([
  ['SOL', decimal('150')],
  ['ETH', decimal('3000')],
  ['BTC', null],
])

test('of two listed tokens with one symbol the more valuable holding counts', () => {
  const held = [asset('usd', { usd: '1.01', balance: '5', listed: true }), asset('USD', { usd: '0.99', listed: true })]
  expect(presentRates(conversionRates(held, coins))).toEqual({ USD: '1.01', SOL: '150', ETH: '3000', BTC: 'N/A' })
})

test('an untrusted token is no coin, and replaces no listed token', () => {
  const held = [
    asset('USDC', { usd: '1', listed: true }),
    asset('USDC', { usd: '900', balance: '1000', listed: false }),
    asset('BTC', { usd: '7', listed: false }),
    asset('ETH', { usd: '7', listed: false }),
    asset('__proto__', { usd: '7', listed: false }),
    asset('OTHER', { listed: false }),
  ]
  const rates = presentRates(conversionRates(held, coins))
  expect(rates).toMatchObject({ USDC: '1', ETH: '3000', BTC: 'N/A', OTHER: 'N/A' })
  expect(Object.keys(rates)).toContain('__PROTO__')
})

test('a coin that is held has the price of the answer, also of past days', () => {
  const held = [asset('ETH', { usd: '1800', listed: true })]
  expect(presentRates(conversionRates(held, NO_COIN_RATES))).toEqual({ ETH: '1800', SOL: 'N/A', BTC: 'N/A' })
  expect(presentRates(conversionRates(held, coins))).toEqual({ ETH: '1800', SOL: '150', BTC: 'N/A' })
})

test('a listed token without a price leaves the rate of the coin of its name', () => {
  const held = [asset('ETH', { listed: true }), asset('BTC', { listed: true }), asset('USDC', { listed: true })]
  expect(presentRates(conversionRates(held, coins))).toEqual({ SOL: '150', ETH: '3000', BTC: 'N/A', USDC: 'N/A' })
})

test('rates are unknown until they are loaded, and a failing source keeps the last ones', async () => {
  let now = 0
  let answer = async () => [decimal('150'), decimal('3000'), undefined]
  const warnings: string[] = []
  const log = { warn: (_: object, message: string) => void warnings.push(message) }
  const rates = createLatestRates(() => answer(), { now: () => now }, log)
  expect(rates.latest()).toBe(NO_COIN_RATES)
  await rates.load()
  const loaded = { SOL: '150', ETH: '3000', BTC: 'N/A' }
  expect(presentRates(rates.latest())).toEqual(loaded)
  answer = () => Promise.reject(new Error('no answer'))
  now = 300_000
  expect(presentRates(rates.latest())).toEqual(loaded)
  await expect.poll(() => warnings).toHaveLength(1)
  expect(presentRates(rates.latest())).toEqual(loaded)
})
