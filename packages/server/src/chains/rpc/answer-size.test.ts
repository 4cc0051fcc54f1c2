import { expect, test } from 'vitest'
import { longestAnswer } from './answer-size.ts'

const call = { method: 'eth_call', params: [] }
const header = { method: 'eth_getBlockByNumber', params: ['latest', false] }

test.each([
  ['a call', [call], 8_000_000],
  ['a number', [{ method: 'eth_blockNumber', params: [] }], 256_000],
  ['a block with its transactions', [{ ...header, params: ['latest', true] }], 32_000_000],
  ['a batch: all its calls', [header, call], 12_000_000],
  ['a long batch: as any answer', Array.from({ length: 50 }, () => call), 32_000_000],
])('the longest answer to %s', (_, requests, bytes) => {
  expect(longestAnswer(requests)).toBe(bytes)
})
