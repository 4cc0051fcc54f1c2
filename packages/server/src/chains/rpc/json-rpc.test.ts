import { expect, test } from 'vitest'
import { lacksBlock, RpcRefusal } from './json-rpc.ts'

const LOCAL = -32602
const PROVIDER = -32005

test.each([
  'your app exceeded its compute units per second',
  'Too Many Requests',
  '429 Client Error',
  'upstream answered HTTP 429',
  'status code: 429',
])('a node that says "%s" is asked too often', (text) => {
  expect(new RpcRefusal(PROVIDER, text).kind).toBe('rate-limited')
})

test('a number of a block is no status', () => {
  const refusal = new RpcRefusal(LOCAL, 'BlockOutOfRangeError: block height is 728 but requested was 429')
  expect([refusal.kind, refusal.reason, lacksBlock(refusal)]).toEqual(['unknown-block', 'unavailable', true])
  expect(new RpcRefusal(PROVIDER, 'header not found for block 429').kind).toBe('unknown-block')
})
