import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ExplorerServer, startExplorer } from '../../../../test/explorer-server.ts'
import { secret } from '../../../lib/secret.ts'
import { createExplorerApi, createExplorerSource } from './explorer-source.ts'

const wallet = `0x${'a1'.repeat(20)}` as const
const other = `0x${'b2'.repeat(20)}` as const
const hashOf = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, '0')}`

/** As documented for `txlist`: all strings, addresses in any case. */
const row = (n: number, block: number, fields: Record<string, string> = {}) => ({
  ...{ blockNumber: String(block), timeStamp: '1700000000', hash: hashOf(n), nonce: String(n), transactionIndex: '0' },
  ...{ blockHash: hashOf(block + 1_000_000), from: wallet.toUpperCase().replace('0X', '0x'), to: other, value: '0' },
  ...{ gas: '21000', gasPrice: '1', isError: '0', txreceipt_status: '1', input: '0x', contractAddress: '' },
  ...{ cumulativeGasUsed: '21000', gasUsed: '21000', confirmations: '5', methodId: '0x', functionName: '' },
  ...fields,
})
/** As documented for `txlistinternal`. */
const internal = (n: number, block: number, fields: Record<string, string> = {}) => ({
  ...{ blockNumber: String(block), timeStamp: '1700000000', hash: hashOf(n), from: other, to: wallet, value: '5' },
  ...{ contractAddress: '', input: '', type: 'call', gas: '2300', gasUsed: '0', traceId: '0_1', isError: '0' },
  ...{ errCode: '', ...fields },
})

const busy = 25_000
const transactions = [
  row(1, 10),
  row(2, 11, { isError: '1', txreceipt_status: '0', value: '9' }),
  row(3, 12, { from: other, to: wallet, value: '7' }),
  row(4, 13, { from: other, to: wallet, value: '7', isError: '1' }),
  row(5, 14, { from: other, to: wallet }),
  ...Array.from({ length: busy }, (_, i) => row(100 + i, 1000 + Math.floor(i / 3))),
]
const internals = [
  internal(3, 12, { traceId: '0' }),
  internal(3, 12, { traceId: '1' }),
  internal(6, 15, { isError: '1' }),
  internal(7, 15, { type: 'create', from: wallet, to: '', contractAddress: other }),
  // Blockscout's names and spelling.
  { ...internal(0, 16, { type: 'call', callType: 'call', index: '4' }), hash: undefined, transactionHash: hashOf(8) },
  internal(9, 17, { callType: 'delegatecall' }),
].map((one) => JSON.parse(JSON.stringify(one)))

let explorer: ExplorerServer
const clock = { now: () => 1_800_000_000_000 }
const source = (options: { key?: string; chainId?: string } = {}) => {
  const key = options.key === undefined ? {} : { key: secret(options.key) }
  const api = createExplorerApi({ url: secret(`${explorer.url}/v2/api`), ...key, clock, pauseMs: 1 })
  return createExplorerSource({ api, clock, ...(options.chainId && { chainId: options.chainId }) })
}

beforeAll(async () => {
  explorer = await startExplorer({ transactions, internals, newest: () => 20_000n })
})
afterAll(() => explorer.stop())
beforeEach(() => explorer.answerWith(undefined))

test('own transactions, failed ones too, and those that moved coins to or from the wallet', async () => {
  const { hits, covered, failure } = await source().find({ wallets: [wallet], range: { fromBlock: 0n, toBlock: 20n } })
  expect(failure).toBeUndefined()
  expect(covered).toEqual([{ fromBlock: 0n, toBlock: 20n }])
  const moved = { from: other, to: wallet, amountRaw: 5n }
  expect(hits.map(({ hash, block, inner }) => [Number(hash), block, inner])).toEqual([
    [1, 10n, []],
    [2, 11n, []],
    [3, 12n, [moved, moved]],
    [7, 15n, [{ from: wallet, to: other, amountRaw: 5n }]],
    [8, 16n, [moved]],
  ])
})

test('asks as Etherscan documents it, for its chain and with the key; what is younger than ten minutes is left out', async () => {
  const search = { wallets: [wallet], range: { fromBlock: 15_000n, toBlock: 30_000n } }
  const { covered } = await source({ key: 'k', chainId: '10' }).find(search)
  expect(covered).toEqual([{ fromBlock: 15_000n, toBlock: 20_000n }])
  const common = { chainid: '10', apikey: 'k' }
  const list = { module: 'account', address: wallet, startblock: '15000', endblock: '20000', page: '1', offset: '1000' }
  expect(explorer.asked()).toEqual([
    { ...common, module: 'block', action: 'getblocknobytime', timestamp: '1799999400', closest: 'before' },
    { ...common, ...list, action: 'txlist', sort: 'asc' },
    { ...common, ...list, action: 'txlistinternal', sort: 'asc' },
  ])
})

test('more than ten thousand: continued where the last page ended, each once', async () => {
  const { hits } = await source().find({ wallets: [wallet], range: { fromBlock: 1000n, toBlock: 20_000n } })
  expect(hits.map(({ hash }) => Number(hash))).toEqual(Array.from({ length: busy }, (_, i) => 100 + i))
})

const refusal = (result: string) => ({ status: '0', message: 'NOTOK', result })

test('too many requests: asked again', async () => {
  let left = 2
  explorer.answerWith(() => {
    left -= 1
    return left >= 0 ? { body: refusal('Max calls per sec rate limit reached (3/sec)') } : undefined
  })
  const { hits, failure } = await source().find({ wallets: [wallet], range: { fromBlock: 0n, toBlock: 10n } })
  expect(failure).toBeUndefined()
  expect(hits).toHaveLength(1)
})

describe('nothing is taken for covered', () => {
  const refusals: [string, { status?: number; body: unknown }, string][] = [
    ['a wrong key', { body: refusal('Invalid API Key') }, 'not-allowed'],
    ['a chain that is not served', { body: refusal('Missing or unsupported chainid parameter') }, 'not-allowed'],
    ['no end of "slow down"', { status: 429, body: '' }, 'rate-limited'],
    ['internal transactions not looked into yet', { body: { status: '2', message: 'OK', result: [] } }, 'unavailable'],
    ['HTML', { body: '<html>' }, 'invalid'],
    ['a page of an error', { status: 502, body: '<html>' }, 'unavailable'],
    ['no list', { body: { status: '1', message: 'OK', result: 'soon' } }, 'invalid'],
    ['other blocks', { body: { status: '1', message: 'OK', result: [row(1, 99)] } }, 'invalid'],
  ]
  test.each(refusals)('%s', async (_, answer, reason) => {
    explorer.answerWith(({ action }) => (action === 'txlistinternal' ? answer : undefined))
    const asked = source({ key: 'secret-key' })
    const found = await asked.find({ wallets: [wallet], range: { fromBlock: 0n, toBlock: 20n } })
    expect(found).toMatchObject({ hits: [], covered: [], failure: { reason } })
    expect(found.failure?.message).not.toMatch(/secret-key|127\.0\.0\.1/)
  })
})
