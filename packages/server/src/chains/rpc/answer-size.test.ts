import { expect, test } from 'vitest'
import { asItCame } from './json-rpc.ts'
import { longestAnswer } from './rpc-endpoint.ts'

const call = { method: 'eth_call', params: [], parse: asItCame }
const header = { method: 'eth_getBlockByNumber', params: ['latest', false], parse: asItCame }

test.each([
  ['a call', [call], 8_000_000],
  ['a number', [{ ...call, method: 'eth_blockNumber' }], 256_000],
  ['a block with its transactions', [{ ...header, params: ['latest', true] }], 32_000_000],
  ['a batch: all its calls', [header, call], 12_000_000],
  ['a long batch: as any answer', Array.from({ length: 50 }, () => call), 32_000_000],
])('the longest answer to %s', (_, requests, bytes) => {
  expect(longestAnswer(requests)).toBe(bytes)
})
