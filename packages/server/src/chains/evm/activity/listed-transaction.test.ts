import { toHex } from 'viem'
import * as viemChains from 'viem/chains'
import { expect, test } from 'vitest'
import { chainRows, type FeeKind } from '../chain-rows.ts'
import { chainTransaction, parseReceipt, parseTransaction } from './listed-transaction.ts'

const hash = `0x${'ab'.repeat(32)}`
const place = { blockNumber: '0x10', blockHash: `0x${'cd'.repeat(32)}`, transactionIndex: '0x0' }
const from = `0x${'11'.repeat(20)}`
const transaction = { hash, from, to: from, input: '0x', value: '0x0', gas: '0x5208', gasPrice: '0x77359400', ...place }
const receipt = { transactionHash: hash, status: '0x1', gasUsed: '0x5208', logs: [], ...place }

/** 21,000 gas at 2 gwei. */
const GAS = 42_000_000_000_000n
const jovian = {
  type: '0x2',
  operatorFeeScalar: '0x4c4b40',
  operatorFeeConstant: '0x309',
  daFootprintGasScalar: '0x190',
}
const operator = { operatorFeeScalar: '0x4c4b40', operatorFeeConstant: '0x309' }

type Fields = Readonly<Record<string, string | null>>

/** Wei in addition to gas. */
function furtherFee(fields: Fields, chain = 'base'): bigint {
  const listed = parseTransaction({ ...transaction, ...fields })
  return chainTransaction(listed, parseReceipt({ ...receipt, ...fields }, chain), 0).feeRaw - GAS
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
  ['the operator, since Jovian', { ...jovian, blobGasUsed: '0x9c40', blobGasPrice: '0x1' }, 10_500_000_000_777n],
  // Fields of Mantle's receipts, with the ratio 3,000.
  ['data on the other layer, in the gas of Mantle', { type: '0x2', l1Fee: '0x3e8', tokenRatio: '0xbb8' }, 0n],
  [
    'data and operator, since Arsia of Mantle',
    { ...jovian, l1Fee: '0x3e8', tokenRatio: '0xbb8', l1BaseFeeScalar: '0x0' },
    10_500_000_001_777n,
  ],
  ['a deposit', { type: '0x7e', l1Fee: '0x0', ...operator }, 0n],
  ['data and operator', { type: '0x2', l1Fee: '0x3e8', ...operator }, 106_777n],
])('the fee of a transaction with %s', (_, fields, expected) => {
  expect(furtherFee(fields)).toBe(expected)
})

test('a fee currency pays all of the fee, in which the coin has no part', () => {
  const inToken = { ...transaction, type: '0x7b', feeCurrency: `0x${'22'.repeat(20)}` }
  const ofToken = parseReceipt({ ...receipt, type: '0x7b', l1Fee: '0x3e8' }, 'celo')
  const paid = chainTransaction(parseTransaction(inToken), ofToken, 0)
  expect(paid).toMatchObject({ feeRaw: 0n, feeInToken: true })
  const inCoin = chainTransaction(parseTransaction({ ...inToken, feeCurrency: null }), parseReceipt(receipt, 'celo'), 0)
  expect(inCoin).toMatchObject({ feeRaw: GAS, feeInToken: false })
})

/** Fields by which a chain of the kind charges, what they add, and what receipts of other chains may have instead. */
const cells: Readonly<Record<FeeKind, { charged: Fields; raw: bigint; not: Fields }>> = {
  blobs: {
    charged: { type: '0x3', blobGasUsed: '0x20000', blobGasPrice: '0x7' },
    raw: 917_504n,
    not: { type: '0x2', blobGasUsed: '0x20000', blobGasPrice: '0x7' },
  },
  // On Arbitrum, gas includes it.
  data: { charged: { l1Fee: '0x3e8' }, raw: 1_000n, not: { l1Fee: null, gasUsedForL1: '0x3e8' } },
  operator: { charged: operator, raw: 105_777n, not: { operatorFeeScalar: null, operatorFeeConstant: null } },
  // The coin pays nothing, not even gas.
  token: { charged: { feeCurrency: `0x${'22'.repeat(20)}` }, raw: -GAS, not: { feeCurrency: null } },
}
const kinds = Object.keys(cells) as FeeKind[]
const LATE = { blockNumber: toHex(100_000_000) }

test.each(chainRows.flatMap(({ key, fees = [] }) => kinds.map((kind) => [key, kind, fees.includes(kind)] as const)))(
  'a receipt of %s by the kind %s: %s',
  (chain, kind, isCharged) => {
    const { charged, raw, not } = cells[kind]
    expect(furtherFee({ ...LATE, ...(isCharged ? charged : not) }, chain)).toBe(isCharged ? raw : 0n)
  },
)

test('gas of Metis includes the fee for data until its Shanghai', () => {
  const { charged } = cells.data
  expect(furtherFee({ blockNumber: toHex(18_117_999), ...charged }, 'metis')).toBe(0n)
  expect(furtherFee({ blockNumber: toHex(18_118_000), ...charged }, 'metis')).toBe(1_000n)
})

test('the chains that viem knows to be of the OP Stack have data and operator fees', () => {
  const chains = new Map<string, { contracts?: object | undefined }>(Object.entries(viemChains))
  const ofStack = chainRows.filter(({ viem }) => 'gasPriceOracle' in (chains.get(viem)?.contracts ?? {}))
  expect(ofStack.length).toBeGreaterThan(10)
  for (const { key, fees } of ofStack) expect(fees, key).toEqual(['data', 'operator'])
})
