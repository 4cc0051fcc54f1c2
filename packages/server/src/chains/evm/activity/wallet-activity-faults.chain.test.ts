import { afterAll, describe, expect, test } from 'vitest'
import { findActivity } from '../../../../test/find-activity.ts'
import { proxyBefore } from '../../../../test/node-behind-proxy.ts'
import type { Fault, RpcCall } from '../../../../test/rpc-proxy.ts'
import { testAddress } from '../../../../test/test-tokens.ts'
import { alice, bob, playHistory } from '../../../../test/wallet-history.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { createRpcPool, type RpcPool } from '../../rpc/rpc-pool.ts'

const history = await playHistory()
afterAll(() => history.node.stop())
const proxy = await proxyBefore(history.node)
const expected = await history.expected()

const limits = { timeoutMs: 2_000, backoffMs: 1, logTimeoutMs: 1_000 }
const pool = (...urls: string[]) => createRpcPool({ chain: 'ethereum', urls, limits })
const find = (shared: RpcPool, wallets: EvmAddress[] = [alice, bob]) =>
  findActivity({ pool: shared, wallets, range: { fromBlock: 0n, toBlock: history.head } })
const whole = () => [{ fromBlock: 0n, toBlock: history.head }]

type Filter = { fromBlock: string; toBlock: string; topics: unknown[] }
const filterOf = ({ params }: RpcCall) => params[0] as Filter
const isOfAnyEvent = (call: RpcCall) => call.method === 'eth_getLogs' && filterOf(call).topics[0] === null
const calls = (method: string) => proxy.calls().filter((call) => call.method === method)
const listOf = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value : [])

/** Changes the node's answers to a method, in batches too. */
const change = (method: string, to: (result: unknown, call: RpcCall) => unknown) =>
  proxy.add({
    when: (call) => call.method === method,
    fault: { answer: (envelope, call) => ({ ...envelope, result: to(envelope['result'], call) }) },
  })

describe('requests', () => {
  test('three searches of logs, whatever the number of wallets; each transaction, receipt and block once', async () => {
    const shared = pool(proxy.url)
    const others = Array.from({ length: 300 }, (_, i) => testAddress(77, i))
    const found = await find(shared, [alice, bob, ...others])
    expect(found.perWallet.get(alice)).toEqual(expected.get(alice))
    expect(found.perWallet.get(others[0] ?? alice)).toEqual([])
    const searches = calls('eth_getLogs').filter((call) => filterOf(call).toBlock !== filterOf(call).fromBlock)
    expect(searches.filter(isOfAnyEvent)).toHaveLength(3)
    for (const what of ['TransactionByHash', 'TransactionReceipt', 'BlockReceipts', 'BlockByNumber']) {
      const asked = calls(`eth_get${what}`).map(({ params }) => JSON.stringify(params))
      expect(new Set(asked).size).toBe(asked.length)
    }
    const hashes = new Set([...expected.values()].flat().map(({ hash }) => hash))
    expect(calls('eth_getTransactionReceipt').length + calls('eth_getBlockReceipts').length).toBeLessThan(hashes.size)
    expect(proxy.requests()).toBeLessThan(40)

    proxy.reset()
    await find(shared, [alice, bob])
    expect(calls('eth_getLogs')).toHaveLength(3)
  })

  test('without times in logs and transactions: one block more each, and no more', async () => {
    const timeless = (record: object) => ({ ...record, blockTimestamp: undefined })
    change('eth_getLogs', (result) => listOf(result).map(timeless))
    change('eth_getTransactionByHash', (result) => timeless(result as object))
    expect((await find(pool(proxy.url))).perWallet).toEqual(expected)
    const blocks = calls('eth_getBlockByNumber').map(({ params }) => params[0])
    expect(new Set(blocks).size).toBe(blocks.length)
  })

  test('no whole blocks offered: one by one, the same', async () => {
    proxy.add({
      when: ({ method }) => method === 'eth_getBlockReceipts',
      fault: { error: { code: -32601, message: 'the method eth_getBlockReceipts does not exist/is not available' } },
    })
    const shared = pool(proxy.url)
    expect((await find(shared)).perWallet).toEqual(expected)
    expect((await find(shared)).perWallet).toEqual(expected)
    // The requested block, then the newest one.
    expect(calls('eth_getBlockReceipts')).toHaveLength(2)
  })

  const refusals: [string, Fault][] = [
    ['an internal error', { error: { code: -32603, message: 'internal error' } }],
    ['an unknown method', { error: { code: -32601, message: 'method not found' } }],
  ]
  test.each(refusals)('%s for one block: that one is read in another way, the others as before', async (_, fault) => {
    const isBlock = (call: RpcCall) => /^(eth_getBlockReceipts|trace_block)$/.test(call.method)
    await find(pool(proxy.url))
    const [first] = proxy.calls().filter(isBlock)
    proxy.reset()
    proxy.add({ when: (call) => isBlock(call) && call.params[0] === first?.params[0], fault })
    const shared = pool(proxy.url)
    expect((await find(shared)).perWallet).toEqual(expected)
    expect(shared.capabilities()[0]?.refused).toEqual({})
  })

  test.each(refusals)('%s of traces for one wallet: others are searched by them', async (_, fault) => {
    const names = ({ method, params }: RpcCall) =>
      method === 'trace_filter' && JSON.stringify(params).includes(bob.slice(2))
    proxy.add({ when: names, fault })
    const shared = pool(proxy.url)
    expect((await find(shared, [bob])).perWallet.get(bob)).toEqual(expected.get(bob))
    expect(shared.capabilities()[0]?.refused).not.toHaveProperty('trace_filter')
    proxy.reset()
    expect((await find(shared, [alice])).perWallet.get(alice)).toEqual(expected.get(alice))
    expect(calls('trace_filter').length).toBeGreaterThan(0)
  })

  test('transactions that the node has forgotten by their hash are read with their blocks', async () => {
    change('eth_getTransactionByHash', () => null)
    expect((await find(pool(proxy.url))).perWallet).toEqual(expected)
  })

  test('batches refused: one by one, the same', async () => {
    const body = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batching is off"}}'
    proxy.add({ when: (call) => proxy.isBatch(call), fault: { raw: { status: 200, body } } })
    expect((await find(pool(proxy.url))).perWallet).toEqual(expected)
  })
})

test('a node that asks for fewer requests in the middle is given time', async () => {
  const isReceipt = ({ method }: RpcCall) => method === 'eth_getTransactionByHash'
  proxy.add({ when: isReceipt, times: 2, fault: { raw: { status: 429, body: '', headers: { 'retry-after': '1' } } } })
  const found = await find(pool(proxy.url))
  expect(found.failure).toBeUndefined()
  expect(found.perWallet).toEqual(expected)
})

describe('ranges', () => {
  const isWider = (call: RpcCall) => {
    if (call.method !== 'eth_getLogs') return false
    const { fromBlock, toBlock } = filterOf(call)
    return BigInt(toBlock) - BigInt(fromBlock) >= 40n
  }
  test.each([
    [-32005, 'query returned more than 10000 results. Try with this block range [0x0, 0x1d].'],
    [-32602, 'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range'],
    [-32000, 'block range is too large, max 40'],
    [-32005, 'query timeout exceeded'],
    [-32603, 'internal error'],
  ])('%i %s: everything, all three in the same ranges', async (code, message) => {
    proxy.add({ when: isWider, fault: { error: { code, message } } })
    const found = await find(pool(proxy.url))
    expect(found.failure).toBeUndefined()
    expect(found.covered).toEqual(whole())
    expect(found.perWallet).toEqual(expected)
    const served = calls('eth_getLogs').filter((call) => isOfAnyEvent(call) && !isWider(call))
    const perRange = Map.groupBy(served, (call) => filterOf(call).fromBlock)
    // Without the two trial requests, which are one block wide.
    const wide = served.filter((call) => filterOf(call).fromBlock !== filterOf(call).toBlock)
    expect(wide.length).toBeLessThanOrEqual(3 * perRange.size)
  })
})

describe('endpoints that do not serve every event', () => {
  const isTruncated: Fault['answer'] = (envelope) => ({ ...envelope, result: listOf(envelope['result']).slice(0, 1) })
  const faults: [string, Fault][] = [
    ['refuse', { error: { code: -32602, message: 'topics[0] is required' } }],
    ['say there are none', { answer: (envelope) => ({ ...envelope, result: [] }) }],
    ['leave some out', { answer: isTruncated }],
  ]
  test.each(faults)('those that %s are asked for the known ones; that is learned once', async (_, fault) => {
    proxy.add({ when: isOfAnyEvent, fault })
    const shared = pool(proxy.url)
    expect((await find(shared)).perWallet).toEqual(expected)
    expect(shared.capabilities()[0]?.anyEvent).toBe(false)
    const asked = calls('eth_getLogs').filter(isOfAnyEvent).length
    expect(asked).toBeLessThanOrEqual(2)
    await find(shared)
    expect(calls('eth_getLogs').filter(isOfAnyEvent)).toHaveLength(asked)
  })

  test('what could not be tried is asked both ways', async () => {
    const shared = pool(proxy.url)
    // Before the first transfer.
    const found = await findActivity({ pool: shared, wallets: [alice], range: { fromBlock: 0n, toBlock: 10n } })
    expect(found.failure).toBeUndefined()
    expect(found.perWallet.get(alice)).toEqual(expected.get(alice)?.filter(({ block }) => block <= 10n))
  })
})

describe('answers that do not fit together', () => {
  const other = `0x${'ab'.repeat(32)}`
  const elsewhere = (record: object) => ({ ...record, blockHash: other })
  const bare = (result: unknown) => ({ ...elsewhere(result as object), logs: [] })
  const withLogs = (receipt: { logs: object[] }) => ({
    ...{ ...receipt, logs: receipt.logs.map((log) => ({ ...log, transactionHash: other })) },
  })
  const lies: [string, string, (result: unknown) => unknown][] = [
    ['a receipt', 'eth_getTransactionReceipt', bare],
    ['a transaction', 'eth_getTransactionByHash', (result) => elsewhere(result as object)],
    ['logs', 'eth_getLogs', (result) => listOf(result).map(elsewhere)],
    ['a whole block', 'eth_getBlockByNumber', (result) => ({ ...(result as object), hash: other })],
    ['receipts of a block', 'eth_getBlockReceipts', (result) => listOf(result).map(elsewhere)],
    ['a log inside a receipt', 'eth_getTransactionReceipt', (result) => withLogs(result as { logs: object[] })],
  ]
  test.each(lies)('%s of another block: nothing is taken for searched', async (_, method, lie) => {
    change(method, lie)
    const found = await find(pool(proxy.url))
    expect(found.failure?.reason).toBe('invalid')
    expect(found.covered).toEqual([])
    expect(found.missing).toEqual(whole())
    expect([...found.perWallet.values()].flat()).toEqual([])
  })

  test('another endpoint with a consistent chain helps', async () => {
    change('eth_getTransactionReceipt', bare)
    expect((await find(pool(proxy.url, history.node.url))).perWallet).toEqual(expected)
  })

  test('a transaction that no node knows any more', async () => {
    change('eth_getTransactionByHash', () => null)
    change('eth_getBlockReceipts', () => null)
    const found = await find(pool(proxy.url))
    expect(found.failure?.reason).toBe('unavailable')
    expect(found.covered).toEqual([])
  })

  test.each<[string, Fault]>([
    ['a stall', { socket: 'stall' }],
    ['a cut', { socket: 'cut' }],
    ['an error', { error: { code: -32603, message: 'internal error' } }],
  ])('%s of traces: logs are searched, native coin is not, and why is said', async (_, fault) => {
    const isTrace = ({ method }: RpcCall) => method.startsWith('trace_') || method.startsWith('debug_')
    const isState = ({ method }: RpcCall) => ['eth_getBalance', 'eth_getCode'].includes(method)
    proxy.add({ when: (call) => isTrace(call) || isState(call), fault })
    const found = await find(pool(proxy.url))
    expect(found.failure).toBeUndefined()
    expect(found.covered).toEqual(whole())
    expect(found.native.get(alice)).toMatchObject({ state: 'partial', covered: [] })
  })
})
