import { describe, expect, test } from 'vitest'
import { decimal, formatDecimal } from '../domain/decimal.ts'
import { createPriceSymbol, parseSymbolSource, type SymbolSource } from './symbol-prices.ts'

describe('parseSymbolSource', () => {
  test.each<[string, SymbolSource]>([
    ['fx', { kind: 'fx' }],
    ['coingecko:wrapped-steth', { kind: 'coingecko', id: 'wrapped-steth' }],
    ['defillama:tether', { kind: 'defillama', id: 'tether' }],
    ['fixed:12.5', { kind: 'fixed', usd: decimal('12.5') }],
  ])('reads %s', (text, source) => {
    expect(parseSymbolSource(text)).toEqual(source)
  })

  test.each([
    ...['', 'coingecko:a b', `fixed:0.${'1'.repeat(19)}`],
    ...'FX fx:EUR fixed: fixed:-1 fixed:1e5 fixed:.5 coingecko: coingecko:a&ids=b coingecko:../x kraken:BTC'.split(' '),
  ])('refuses %j', (text) => {
    expect(parseSymbolSource(text)).toBeUndefined()
  })
})

test('each source answers for itself; one that this service does not ask knows nothing', async () => {
  const price = createPriceSymbol({
    rates: {
      usdPerUnit: async (currency) => (currency === 'EUR' ? { usd: decimal('1.1'), source: 'chainlink' } : undefined),
    },
    coins: [{ name: 'coingecko', usdPerCoin: async (id) => (id === 'bitcoin' ? decimal('60000') : undefined) }],
  })
  const show = async (symbol: string, source: string) => {
    const found = await price(symbol, parseSymbolSource(source) ?? expect.fail('is no source'))
    return found && [formatDecimal(found.usd), found.source]
  }
  expect(await show('EUR', 'fx')).toEqual(['1.1', 'chainlink'])
  expect(await show('HOUSE', 'fixed:350000')).toEqual(['350000', 'fixed'])
  expect(await show('XBT', 'coingecko:bitcoin')).toEqual(['60000', 'coingecko'])
  expect(await show('XBT', 'coingecko:nothing')).toBeUndefined()
  expect(await show('XBT', 'defillama:bitcoin')).toBeUndefined()
  // Rates report no failures: a missing rate counts as one.
  await expect(show('JPY', 'fx')).rejects.toMatchObject({ name: 'UpstreamError' })
})
