import { expect, test } from 'vitest'
import { chainTransaction, parseReceipt, parseTransaction } from './listed-transaction.ts'

const hash = `0x${'ab'.repeat(32)}`
const place = { blockNumber: '0x10', blockHash: `0x${'cd'.repeat(32)}`, transactionIndex: '0x0' }
const from = `0x${'11'.repeat(20)}`
const transaction = { hash, from, to: from, input: '0x', value: '0x0', gas: '0x5208', gasPrice: '0x77359400', ...place }
const receipt = { transactionHash: hash, status: '0x1', gasUsed: '0x5208', logs: [], ...place }

/** 21,000 gas at 2 gwei. */
const GAS = 42_000_000_000_000n
const operator = { operatorFeeScalar: '0x4c4b40', operatorFeeConstant: '0x309' }

/** Wei in addition to gas. */
function furtherFee(fields: Record<string, string>): bigint {
  const { feeRaw } = chainTransaction(parseTransaction(transaction), parseReceipt({ ...receipt, ...fields }), 0)
  return feeRaw - GAS
}

test.each([
  ['no other', { type: '0x2' }, 0n],
  ['blobs', { type: '0x3', blobGasUsed: '0x20000', blobGasPrice: '0x7' }, 917_504n],
  ['data on the other layer', { type: '0x2', l1Fee: '0x3e8' }, 1_000n],
  // 21,000 × 5,000,000 / 10^6 + 777
  ['the operator, since Isthmus', { type: '0x2', ...operator }, 105_777n],
  // 21,000 × 7 / 10^6 is less than one.
  ['the operator, rounded down', { type: '0x2', operatorFeeScalar: '0x7', operatorFeeConstant: '0x309' }, 777n],
  // 21,000 × 5,000,000 × 100 + 777; the footprint of the data costs nothing.
  [
    'the operator, since Jovian',
    { type: '0x2', ...operator, daFootprintGasScalar: '0x190', blobGasUsed: '0x9c40', blobGasPrice: '0x1' },
    10_500_000_000_777n,
  ],
  ['a deposit', { type: '0x7e', l1Fee: '0x0', ...operator }, 0n],
  ['data and operator', { type: '0x2', l1Fee: '0x3e8', ...operator }, 106_777n],
])('the fee of a transaction with %s', (_, fields, expected) => {
  expect(furtherFee(fields)).toBe(expected)
})

test('a fee currency pays all of the fee, in which the coin has no part', () => {
  const inToken = { ...transaction, type: '0x7b', feeCurrency: `0x${'22'.repeat(20)}` }
  const paid = chainTransaction(
    parseTransaction(inToken),
    parseReceipt({ ...receipt, type: '0x7b', l1Fee: '0x3e8' }),
    0,
  )
  expect(paid).toMatchObject({ feeRaw: 0n, feeInToken: true })
  const inCoin = chainTransaction(parseTransaction({ ...inToken, feeCurrency: null }), parseReceipt(receipt), 0)
  expect(inCoin).toMatchObject({ feeRaw: GAS, feeInToken: false })
})
