import { expect, test } from 'vitest'
import { asset, OTHER, sync, transaction, WALLET } from './test-transaction.ts'
import { counterpartiesOf, feeWorthOf, pnlGap, pricedPart, totalOf } from './transaction.ts'

const unpriced = asset({ price: '0', value: '0', priceSource: null })

test('what has no price is not known, never zero', () => {
  expect(totalOf(transaction({ valueFiat: '0', assetsIn: [unpriced] }))).toBe('N/A')
  expect(totalOf(transaction({ valueFiat: '1', assetsIn: [unpriced, asset()] }))).toBe('1')
  expect(totalOf(transaction())).toBe('0')
  const parts = [[], [asset()], [asset(), unpriced], [unpriced]].map((assetsIn) =>
    pricedPart(transaction({ assetsIn })),
  )
  expect(parts).toEqual(['all', 'all', 'some', 'none'])
})

test('gas without a price is not known; no gas is nothing', () => {
  const gas = asset({ balance: '0.01', priceSource: null })
  expect(feeWorthOf(transaction({ nativeAssetFees: gas }))).toBe('N/A')
  expect(feeWorthOf(transaction())).toBe('0')
  expect(feeWorthOf(transaction({ nativeAssetFees: asset({ balance: '0.01' }), feesFiat: '2' }))).toBe('2')
})

test('says why a PnL is not known', () => {
  const unknown = { closedPnl: 'N/A', pnlReason: 'no-history' } as const
  expect(pnlGap(transaction(), [sync('never')])).toBeNull()
  expect(pnlGap(transaction(unknown), [sync('never')])).toBe('never')
  expect(pnlGap(transaction(unknown), [sync('running')])).toBe('history')
  // The search has ended, and something in it cannot be known.
  expect(pnlGap(transaction(unknown), [sync('done')])).toBe('history')
  expect(pnlGap(transaction({ ...unknown, pnlReason: 'unpriced' }), [sync('done')])).toBe('unpriced')
  expect(pnlGap(transaction({ ...unknown, pnlReason: 'unknown-cost' }), [sync('done')])).toBe('unknown-cost')
})

test('counterparties are everyone else, each once', () => {
  const third = '0x3333333333333333333333333333333333333333'
  const one = transaction({ assetsIn: [asset(), asset({ from: third })], assetsOut: [asset({ from: WALLET, to: '' })] })
  expect(counterpartiesOf(one)).toEqual([OTHER, third])
})
