import { expect, test } from 'vitest'
import { amountOf, priceOf, symbolOf, worthOf } from './assets.ts'

const priced = { balance: '2', price: '0.5', value: '1', priceSource: 'chainlink' }
const unpriced = { ...priced, price: '0', value: '0', priceSource: null }

test('what nothing prices has neither price nor value, and what is worth nothing has both', () => {
  expect([priceOf(priced), worthOf(priced)]).toEqual(['0.5', '1'])
  expect([priceOf(unpriced), worthOf(unpriced)]).toEqual(['N/A', 'N/A'])
  expect(worthOf({ ...priced, value: '0' })).toBe('0')
  // An answer without sources.
  expect(
    [
      { price: '0', value: '0' },
      { price: '3', value: '0' },
    ].map(worthOf),
  ).toEqual(['N/A', '0'])
})

test('a debt is negative', () => {
  const debt = { ...priced, side: 'borrow' } as const
  expect([amountOf(debt), worthOf(debt), amountOf(priced)]).toEqual(['-2', '-1', '2'])
  expect([amountOf({ ...debt, balance: '0' }), amountOf({ ...debt, balance: '-3' })]).toEqual(['0', '-3'])
  expect(worthOf({ ...unpriced, side: 'borrow' })).toBe('N/A')
})

test('a symbol stays as the token spells it', () => {
  expect(symbolOf({ displaySymbol: 'wstETH', displayName: 'Wrapped liquid staked Ether 2.0' })).toBe('wstETH')
  expect(symbolOf({ displaySymbol: '', displayName: 'USD Coin' })).toBe('USD Coin')
})
