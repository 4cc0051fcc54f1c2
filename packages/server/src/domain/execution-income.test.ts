import { expect, test } from 'vitest'
import { type ExecutedTransaction, executionIncome } from './execution-income.ts'

const [BUILDER, PROPOSER, USER] = ['0xb1', '0xf1', '0x11']

/** 21,000 gas at 12 wei, 10 of them burnt: a tip of 42,000 wei. */
const transaction = (change: Partial<ExecutedTransaction> = {}): ExecutedTransaction => ({
  ...{ from: USER, to: '0x22', valueWei: 5n, succeeded: true, gasUsed: 21_000n, effectiveGasPriceWei: 12n },
  ...change,
})
const blockOf = (...transactions: ExecutedTransaction[]) => ({
  ...{ miner: BUILDER, baseFeePerGasWei: 10n, transactions },
  gasUsed: transactions.reduce((sum, { gasUsed }) => sum + gasUsed, 0n),
})
const payment = (change: Partial<ExecutedTransaction> = {}) =>
  transaction({ from: BUILDER, to: PROPOSER, valueWei: 7_000n, effectiveGasPriceWei: 10n, ...change })

test('tips are what was paid beyond the base fee', () => {
  const block = blockOf(transaction(), transaction({ effectiveGasPriceWei: 15n, gasUsed: 100_000n }))
  // 21,000 × 2 + 100,000 × 5.
  expect(executionIncome(block, null)).toEqual({ tipsWei: 542_000n, mevWei: 0n, byBuilder: false })
  expect(executionIncome(blockOf(), null)).toEqual({ tipsWei: 0n, mevWei: 0n, byBuilder: false })
})

test('the last transaction by the one who takes the fees is what its builder paid', () => {
  expect(executionIncome(blockOf(transaction(), payment()), null)).toEqual({
    ...{ tipsWei: 0n, mevWei: 7_000n, byBuilder: true },
  })
})

test('a relay is believed before the block', () => {
  expect(executionIncome(blockOf(transaction()), 9_000n)).toEqual({ tipsWei: 0n, mevWei: 9_000n, byBuilder: true })
  expect(executionIncome(blockOf(payment()), 9_000n).mevWei).toBe(9_000n)
})

test.each([
  ['is not the last one', [payment(), transaction()]],
  ['failed', [transaction(), payment({ succeeded: false })]],
  ['is worth nothing', [transaction(), payment({ valueWei: 0n })]],
  ['goes back to where it came from', [transaction(), payment({ to: BUILDER })]],
  ['makes a contract', [transaction(), payment({ to: null })]],
  ['is of somebody else', [transaction(), payment({ from: USER })]],
])('a transaction that %s is no payment', (_what, transactions) => {
  expect(executionIncome(blockOf(...transactions), null)).toMatchObject({ mevWei: 0n, byBuilder: false })
})
