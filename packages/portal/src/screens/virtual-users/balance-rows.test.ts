import { i18n } from '@lingui/core'
import { beforeEach, expect, test } from 'vitest'
import { type BalanceRow, cellOfRefusal, problemsOf, toGiven, toRows } from './balance-rows.ts'

beforeEach(() => i18n.loadAndActivate({ locale: 'en', messages: {} }))

const row = (given: Partial<BalanceRow>): BalanceRow => ({
  key: '1',
  kind: 'symbol',
  subject: 'EUR',
  source: 'fx',
  amount: '1',
  ...given,
})

test('what is saved comes back as it was', () => {
  const saved = [
    { chain: 'base', contract: '0xc', amount: '0.000000000000000001' },
    { symbol: 'EUR', priceSource: 'fx', amount: '123456789012345678901234567890.5' },
  ]
  expect(toGiven(toRows(saved))).toEqual(saved)
})

test.each(['0', '1', '0.5', '123456789012345678901234567890.123456789012345678', ' 7 '])(
  '%j is an amount',
  (amount) => {
    expect(problemsOf(row({ amount }))).toEqual({})
  },
)

test.each([
  ['', 'This field is required.'],
  ['1,5', 'Use a point as the decimal separator, and no commas.'],
  ['1.1234567890123456789', 'At most 18 decimals.'],
  ['-1', 'Enter an amount of 0 or more, in digits.'],
  ['01', 'Enter an amount of 0 or more, in digits.'],
  ['1e3', 'Enter an amount of 0 or more, in digits.'],
  ['.5', 'Enter an amount of 0 or more, in digits.'],
  ['5.', 'Enter an amount of 0 or more, in digits.'],
  [`1${'0'.repeat(30)}`, 'Enter an amount of 0 or more, in digits.'],
])('%j is reported in its cell', (amount, problem) => {
  expect(problemsOf(row({ amount }))).toEqual({ amount: problem })
})

test('errors of symbols and price sources appear in their cells', () => {
  for (const source of ['fx', 'coingecko:bitcoin', 'defillama:coingecko:x', 'fixed:1', 'fixed:0.25']) {
    expect(problemsOf(row({ source }))).toEqual({})
  }
  expect(Object.keys(problemsOf(row({ subject: 'a b', source: 'fixed:x' })))).toEqual(['subject', 'source'])
  expect(Object.keys(problemsOf(row({ kind: 'token', subject: ' ', source: '' })))).toEqual(['subject', 'source'])
  expect(problemsOf(row({ kind: 'token', subject: 'base', source: '0xc' }))).toEqual({})
})

test('a refusal of the service finds its cell', () => {
  expect(cellOfRefusal('balances.2.contract: is not an address of this chain')).toEqual({
    row: '2',
    cell: 'source',
    text: 'is not an address of this chain',
  })
  expect(cellOfRefusal('balances.0: is listed twice')).toEqual({ row: '0', cell: 'subject', text: 'is listed twice' })
  expect(cellOfRefusal('This virtual user is an exchange account')).toBeNull()
})
