import { describe, expect, test } from 'vitest'
import { UNHURRIED } from '../../../../test/hangs.ts'
import { localChain } from '../../../../test/local-node.ts'
import { nodeBehindProxy } from '../../../../test/node-behind-proxy.ts'
import type { Fault, RpcCall } from '../../../../test/rpc-proxy.ts'
import { placeContracts, testAddress, word } from '../../../../test/test-tokens.ts'
import type { RpcEvent } from '../../rpc/rpc-endpoint.ts'
import { createRpcPool, type RpcPoolOptions } from '../../rpc/rpc-pool.ts'
import { createEvmReader } from './create-evm-reader.ts'

const owner = testAddress(1, 1)
const token = testAddress(2, 1)
/** More than one program may request gas; most addresses hold nothing. */
const LONG = [token, ...Array.from({ length: 8_000 }, (_, i) => testAddress(3, i))]
/** Longer than the first pause after a failure. */
const PAUSE_MS = 10 * 60_000
const BATCH_SIZE = 50

const isCall = ({ method }: RpcCall) => method === 'eth_call'
const isHeader = ({ method }: RpcCall) => method === 'eth_getBlockByNumber'
const gasOf = ({ params: [call] }: RpcCall) => Number((call as { gas: string }).gas)

const { node, proxy } = await nodeBehindProxy()

await placeContracts(node, [{ address: token, code: 'token', balances: [[owner, 5n]] }])
await node.sendAll([
  ['anvil_setBalance', owner, word(9)],
  ['anvil_mine', '0x3'],
])

const poolOf = (options: Partial<RpcPoolOptions> = {}) =>
  createRpcPool({ chain: 'ethereum', urls: [proxy.url], limits: UNHURRIED, ...options })

/** Reads the token among others. Returns the methods of each request, in order of arrival. */
async function read(pool: ReturnType<typeof poolOf>, tokens: readonly (typeof token)[] = [token]): Promise<string[]> {
  const before = proxy.calls().length
  const reader = createEvmReader({ pool, chain: localChain })
  const scan = await reader.scan(owner, tokens)
  expect([scan.nativeRaw, [...scan.balances]]).toEqual([9n, [[token, 5n]]])
  const listed = await node.send<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
  expect((await reader.header()).hash).toBe(listed.hash)
  return requestsOf(proxy.calls().slice(before))
}

/** Writes a header in a batch with the call that follows it. */
function requestsOf(calls: readonly RpcCall[]): string[] {
  return calls.flatMap((call, i) => {
    const next = calls[i + 1]
    if (!proxy.isBatch(call)) return call.method
    return next && isHeader(call) ? `${call.method}+${next.method}` : []
  })
}

const TOGETHER = 'eth_getBlockByNumber+eth_call'
const APART = ['eth_getBlockByNumber', 'eth_call']

test('a batch is one request, with its header first; its other programs stay requests of their own', async () => {
  const pool = poolOf()
  expect(await read(pool)).toEqual([TOGETHER])
  const little = poolOf({ known: [{ gasSettled: true }] })
  expect(await read(little, LONG)).toEqual([TOGETHER, 'eth_call'])
})

test('later batches take the header of their block along', async () => {
  const reader = createEvmReader({ pool: poolOf(), chain: localChain })
  await reader.scan(owner, [token])
  const { number } = await reader.header()
  await reader.scan(owner, [token])
  expect(requestsOf(proxy.calls())).toEqual([TOGETHER, TOGETHER])
  expect(proxy.calls()[2]?.params[0]).toBe(`0x${number.toString(16)}`)
})

describe('a node that refuses batches is sent one, then both apart and at once', () => {
  const page = '<html>no</html>'
  const error = { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'batch requests are disabled' } }
  const refusals: [string, Fault][] = [
    ['a page with 403', { raw: { status: 403, body: page } }],
    ['a page with 200', { raw: { status: 200, body: page } }],
    ['a JSON-RPC error', { raw: { status: 200, body: JSON.stringify(error) } }],
    ['413', { raw: { status: 413, body: page } }],
    ['one answer alone', { raw: { status: 200, body: '[{"jsonrpc":"2.0","id":1,"result":"0x"}]' } }],
  ]

  test.each(refusals)('%s', async (_, fault) => {
    proxy.add({ when: proxy.isBatch, fault })
    const pool = poolOf()
    expect(await read(pool)).toEqual([TOGETHER, ...APART])
    expect(await read(pool)).toEqual(APART)
    expect(pool.capabilities()[0]).toMatchObject({ batchSize: 1, fallback: 'override', inputBytes: null })
  })
})

test.each<[string, Fault]>([
  ['answered by 503', { raw: { status: 503, body: 'Service Unavailable' } }],
  ['never answered', { socket: 'stall' }],
])('a batch that is %s is read apart, and tried again ten minutes later', async (_, fault) => {
  const clock = { time: 5_000_000, now: () => clock.time }
  proxy.add({ when: proxy.isBatch, times: 1, fault })
  const short = { ...UNHURRIED, timeoutMs: 5_000, scanTimeoutMs: 5_000 }
  const pool = poolOf({ clock, limits: fault.socket === 'stall' ? short : UNHURRIED })
  expect(await read(pool)).toEqual([TOGETHER, ...APART])
  expect(await read(pool)).toEqual(APART)
  expect(pool.capabilities()[0]?.batchSize).toBe(BATCH_SIZE)
  clock.time += PAUSE_MS
  expect(await read(pool)).toEqual([TOGETHER])
})

test('gas that is refused inside a batch lowers the ceiling, and the next batches are taken', async () => {
  const events: RpcEvent[] = []
  const error = { code: -32000, message: 'transaction gas limit too high (cap: 20000000)' }
  proxy.add({ when: (call) => isCall(call) && gasOf(call) > 20_000_000, fault: { error } })
  const pool = poolOf({ known: [{ gasSettled: true }], observe: (event) => events.push(event) })
  // 50 and 30 million are refused: in the batch first, then alone, because the header is known by then.
  const [first, ...others] = await read(pool, LONG.slice(0, 4_000))
  expect([first, new Set(others)]).toEqual([TOGETHER, new Set(['eth_call'])])
  expect(pool.capabilities()[0]).toMatchObject({ gasCeiling: 16_700_000, batchSize: BATCH_SIZE })
  expect(events[0]).toMatchObject({ method: 'batch:eth_call', outcome: 'refused' })
  // Another process starts with the capabilities that this one learned.
  const known = poolOf({ known: pool.capabilities(), observe: (event) => events.push(event) })
  for (const next of [pool, known]) {
    events.length = 0
    expect(await read(next)).toEqual([TOGETHER])
    expect(events).toMatchObject([{ method: 'batch:eth_call', outcome: 'ok' }])
  }
})

test('a large scan has the time of a scan, its header with it', async () => {
  const pool = poolOf({ limits: { ...UNHURRIED, timeoutMs: 1, scanTimeoutMs: 10_000 } })
  proxy.add({ fault: { before: () => new Promise((resolve) => setTimeout(resolve, 50)) } })
  expect(await read(pool, LONG.slice(0, 4_000))).toEqual([TOGETHER])
})

test.each<[string, Fault]>([
  ['null', { answer: (envelope) => ({ ...envelope, result: null }) }],
  ['an error', { error: { code: -32000, message: 'header not found' } }],
])('a header alone is %s: once, it is asked for again; always, the next endpoint answers', async (_, fault) => {
  proxy.add({ when: isHeader, times: 1, fault })
  expect(await read(poolOf())).toEqual([TOGETHER, 'eth_getBlockByNumber'])
  proxy.add({ when: isHeader, fault })
  const behind = createEvmReader({ pool: poolOf(), chain: localChain })
  await expect(behind.scan(owner, [token])).rejects.toMatchObject({ name: 'UpstreamError', reason: 'unavailable' })
  const pool = poolOf({ urls: [proxy.url, node.url] })
  expect((await createEvmReader({ pool, chain: localChain }).scan(owner, [token])).nativeRaw).toBe(9n)
  expect(pool.capabilities()[0]).toMatchObject({ fallback: 'override', batchSize: BATCH_SIZE })
})

test('a rate limit of either call is that of the endpoint', async () => {
  for (const when of [isCall, isHeader]) {
    proxy.reset()
    proxy.add({ when, fault: { error: { code: -32005, message: 'rate limit exceeded' } } })
    const pool = poolOf()
    const scan = createEvmReader({ pool, chain: localChain }).scan(owner, [token])
    await expect(scan).rejects.toMatchObject({ reason: 'rate-limited' })
    expect(requestsOf(proxy.calls())).toEqual([TOGETHER])
    expect(pool.capabilities()[0]).toMatchObject({ batchSize: BATCH_SIZE, refused: {} })
  }
})
