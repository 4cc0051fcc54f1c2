import { afterAll, describe, expect, test } from 'vitest'
import { startExplorer } from '../../../../test/explorer-server.ts'
import { findActivity } from '../../../../test/find-activity.ts'
import { UNHURRIED } from '../../../../test/hangs.ts'
import { proxyBefore } from '../../../../test/node-behind-proxy.ts'
import type { Fault } from '../../../../test/rpc-proxy.ts'
import { started } from '../../../../test/started.ts'
import { alice, bob, playHistory } from '../../../../test/wallet-history.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { ChainTransaction } from '../../../domain/transaction.ts'
import { secret } from '../../../lib/secret.ts'
import { createRpcPool } from '../../rpc/rpc-pool.ts'
import { createExplorerApi, createExplorerSource } from './explorer-source.ts'

const history = await playHistory()
afterAll(() => history.node.stop())
const proxy = await proxyBefore(history.node)

const pool = (...urls: string[]) => createRpcPool({ chain: 'ethereum', urls, limits: UNHURRIED })
const find = (urls: string[], fromBlock = 0n, toBlock = history.head) =>
  findActivity({ pool: pool(...urls), wallets: [alice, bob], range: { fromBlock, toBlock } })

const TRACERS = ['trace_filter', 'trace_block', 'trace_transaction', 'debug_traceBlockByNumber']
const STATES = ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode']

/** Makes the node refuse these methods. */
const refuse = (methods: readonly string[]) => {
  const refusal = (method: string) => ({ code: -32601, message: `the method ${method} does not exist` })
  const answer: Fault['answer'] = (envelope, { id, method }) =>
    methods.includes(method) ? { jsonrpc: '2.0', id, error: refusal(method) } : envelope
  proxy.add({ fault: { answer } })
}

/** From transactions and receipts alone: without coin moved by inner calls. */
const withoutInner = (activity: ReadonlyMap<EvmAddress, readonly ChainTransaction[]>) =>
  new Map([...activity].map(([wallet, list]) => [wallet, list.map(ofSender)]))

const ofSender = (transaction: ChainTransaction) => ({
  ...transaction,
  nativeTransfers: transaction.nativeTransfers.filter(({ from }) => from === transaction.from),
})

test('without traces and past states: what logs name a wallet, and no more is claimed', async () => {
  refuse([...TRACERS, ...STATES])
  const found = await find([proxy.url])
  expect(found.failure).toBeUndefined()
  expect(found.covered).toEqual([{ fromBlock: 0n, toBlock: history.head }])
  expect(found.missing).toEqual([])
  const expected = await history.expected({ only: ({ logged }) => logged })
  expect(found.perWallet).toEqual(withoutInner(expected))
  expect(found.native.get(alice)).toEqual({ state: 'partial', covered: [], unexplained: [] })
})

const whole = () => [{ fromBlock: 0n, toBlock: history.head }]

/** Ranges so short that traces of their blocks cost less than states of the wallets. */
async function findBlockwise(urls: string[]): Promise<Map<EvmAddress, ChainTransaction[]>> {
  const shared = pool(...urls)
  const all = new Map([alice, bob].map((wallet) => [wallet, [] as ChainTransaction[]]))
  for (let from = 1n; from <= history.head; from += 4n) {
    const toBlock = from + 3n < history.head ? from + 3n : history.head
    const found = await findActivity({ pool: shared, wallets: [alice, bob], range: { fromBlock: from, toBlock } })
    for (const [wallet, list] of found.perWallet) {
      expect(found.native.get(wallet)?.state).toBe('complete')
      all.get(wallet)?.push(...list)
    }
  }
  return all
}

test.each([
  ['trace_block', 'debug_traceBlockByNumber'],
  ['debug_traceBlockByNumber', 'trace_block'],
])('block by block with %s: everything', async (_, other) => {
  refuse(['trace_filter', other, 'eth_getBalance', 'eth_getTransactionCount'])
  expect(await findBlockwise([proxy.url])).toEqual(await history.expected())
})

test('only past states: what the block does not show is reported', async () => {
  refuse(TRACERS)
  const found = await find([proxy.url])
  const expected = await history.expected()
  expect(found.perWallet.get(alice)).toEqual(expected.get(alice))
  expect(found.native.get(alice)).toEqual({ state: 'complete', covered: whole(), unexplained: [] })
  // Many transactions of the crowded block might have sent it.
  const crowded = expected.get(bob)?.at(-1)
  expect(found.perWallet.get(bob)).toEqual(expected.get(bob)?.slice(0, -1))
  const block = crowded?.block ?? 0n
  expect(found.native.get(bob)).toEqual({
    state: 'partial',
    covered: [
      { fromBlock: 0n, toBlock: block - 1n },
      { fromBlock: block + 1n, toBlock: history.head },
    ],
    unexplained: [{ block, amountRaw: 4n }],
  })
})

describe('everything, by each way to see native coin', () => {
  const ways: [string, string[]][] = [
    ['traces by address', ['trace_block', 'debug_traceBlockByNumber', ...STATES]],
    ['states of the past, and traces of the blocks where they change', ['trace_filter', 'debug_traceBlockByNumber']],
    ['states of the past, and the tracer of geth', ['trace_filter', 'trace_block']],
  ]
  test.each(ways)('%s', async (_, missing) => {
    refuse(missing)
    const found = await find([proxy.url])
    expect(found.failure).toBeUndefined()
    expect(found.perWallet).toEqual(await history.expected())
    for (const wallet of [alice, bob]) {
      expect(found.native.get(wallet)).toEqual({ state: 'complete', covered: whole(), unexplained: [] })
    }
  })
})

const expected = [...(await history.expected()).values()].flat()
const newest = history.head - 30n
const explorer = await started(startExplorer({ ...explorerRows(expected), newest: () => newest }))

describe('an explorer with a node without traces and past states', () => {
  const findWith = () => {
    const clock = { now: Date.now }
    const api = createExplorerApi({ url: secret(explorer.url), clock, pauseMs: 1 })
    const range = { fromBlock: 0n, toBlock: history.head }
    const native = createExplorerSource({ api, clock })
    return findActivity({ pool: pool(proxy.url), wallets: [alice, bob], range, native })
  }

  test('everything up to its newest block; then the logs', async () => {
    refuse([...TRACERS, ...STATES])
    const found = await findWith()
    const indexed = { fromBlock: 0n, toBlock: newest }
    const rest = { fromBlock: newest + 1n, toBlock: history.head }
    const expected = await history.expected({ range: indexed })
    const logged = withoutInner(await history.expected({ range: rest, only: ({ logged }) => logged }))
    for (const wallet of [alice, bob]) {
      expect(found.native.get(wallet)).toEqual({ state: 'partial', covered: [indexed], unexplained: [] })
      expect(found.perWallet.get(wallet)).toEqual([...(expected.get(wallet) ?? []), ...(logged.get(wallet) ?? [])])
    }
  })

  test('with states of the past: everything, whatever the explorer left out', async () => {
    refuse(['trace_filter'])
    const none = { body: { status: '0', message: 'No transactions found', result: [] } }
    explorer.answerWith(({ action }) => (action?.startsWith('txlist') ? none : undefined))
    const found = await findWith()
    explorer.answerWith(undefined)
    expect(found.native.get(alice)).toEqual({ state: 'complete', covered: whole(), unexplained: [] })
    const expected = await history.expected()
    // The balance also includes an own transaction that cost only its fee.
    expect(found.perWallet).toEqual(expected)
  })
})

/** The same in the format of the explorer's lists. */
function explorerRows(expected: readonly ChainTransaction[]) {
  const place = ({ hash, block, blockHash }: ChainTransaction) => ({ blockNumber: String(block), hash, blockHash })
  const rows = expected.map((one) => {
    const own = one.nativeTransfers.find(({ from }) => from === one.from)
    const isError = one.succeeded ? '0' : '1'
    return { ...place(one), isError, from: one.from, to: one.to ?? '', value: String(own?.amountRaw ?? 0n) }
  })
  const internals = expected.flatMap((one) => {
    const { hash, blockNumber } = place(one)
    const inner = one.nativeTransfers.filter(({ from }) => from !== one.from)
    const call = { hash, blockNumber, type: 'call', isError: '0', traceId: '0' }
    return inner.map(({ from, to, amountRaw }) => ({ ...call, from, to, value: String(amountRaw) }))
  })
  const unique = <T>(list: T[]) => [...new Map(list.map((one) => [JSON.stringify(one), one])).values()]
  return { transactions: unique(rows), internals: unique(internals) }
}
