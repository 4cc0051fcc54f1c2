import { expect, test } from 'vitest'
import type { ChainRates } from '../chains/chain-reading.ts'
import { decimal } from '../domain/decimal.ts'
import { ratesOf } from './create-reading.ts'

/** A chain type with these currencies, in USD per unit. */
function kindOf(known: Readonly<Record<string, string>>) {
  const asked: string[][] = []
  const usdPer = (currency: string) => (known[currency] === undefined ? undefined : decimal(known[currency]))
  const rates: ChainRates = {
    async usdPerUnit(currency) {
      const usd = usdPer(currency)
      return usd && { usd, source: 'test' }
    },
    async usdPerEach(currencies) {
      asked.push([...currencies])
      return currencies.map(usdPer)
    },
  }
  return { rates, asked }
}

test('a rate comes from the first chain type that knows it, whichever is opened first', async () => {
  const [evm, solana] = [kindOf({ ETH: '3000' }), kindOf({ SOL: '150', ETH: '2999' })]
  const { usdPerUnit, usdPerEach } = ratesOf([evm.rates, solana.rates])
  const reported = (await usdPerEach(['SOL', 'ETH', 'BTC'])).map((usd) => usd?.toString())
  expect(reported).toEqual(['150', '3000', undefined])
  expect(solana.asked).toEqual([['SOL', 'BTC']])
  expect(String((await usdPerUnit('SOL'))?.usd)).toBe('150')
  expect(await usdPerUnit('BTC')).toBeUndefined()
  expect(await ratesOf([]).usdPerEach(['SOL'])).toEqual([undefined])
})
