import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { UNHURRIED } from '../../../../test/hangs.ts'
import type { BlockRange } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { findChain } from '../../chain-catalog.ts'
import type { ChainStores } from '../../chain-reading.ts'
import { chains } from '../../chain-types.ts'
import { createRpcPool } from '../../rpc/rpc-pool.ts'
import type { DiscoveryStore, FoundInLogs } from '../../stores.ts'
import { createDiscovery, type EvmSearchContext } from './discovery.ts'
import type { Recognise } from './recognise.ts'
import { type MoreKeys, type SearchedKeys, searchedKeys } from './wallet-keys.ts'

const wallet = '0x00000000000000000000000000000000000000ff'
const ethereum = findChain('ethereum', chains) ?? expect.fail('no such chain')

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** Attempts of an interactive request before it fails. */
const REFUSED = 2

type NodeLog = { topics: readonly string[]; blockNumber: string }
type Filter = { topics?: readonly (string | string[] | null)[] }

/** A node without batches that refuses the first requests for blocks because of a rate limit. */
async function startNode(logs: readonly NodeLog[] = []): Promise<string> {
  let refused = 0
  const results: Record<string, unknown> = {
    eth_getBlockByNumber: {
      number: '0x10',
      timestamp: '0x1',
      hash: `0x${'ab'.repeat(32)}`,
      parentHash: `0x${'cd'.repeat(32)}`,
    },
    eth_blockNumber: '0x10',
  }
  const node = createServer(async (request, response) => {
    const { id, method, params } = (await json(request)) as { id: number; method: string; params: [Filter] }
    if (method === 'eth_getBlockByNumber' && refused < REFUSED) {
      refused += 1
      return void response.writeHead(429).end()
    }
    const named = params?.[0]?.topics?.[2]
    const isAsked = ({ topics }: NodeLog) => named === undefined || [named].flat().includes(topics[2] ?? '')
    const result = method === 'eth_getLogs' ? logs.filter(isAsked) : results[method]
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  server = node
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(node.address() as AddressInfo).port}`
}

const HASH = `0x${'ab'.repeat(32)}`
const heads = [{ block: 16n, hash: HASH }]

type Options = Partial<DiscoveryStore> & {
  logs?: readonly NodeLog[]
  covered?: BlockRange[]
  ask?: Recognise['ask']
  isKnown?: Recognise['isKnown']
  moreKeys?: MoreKeys
  keys?: SearchedKeys
  now?: () => number
}

/** Searches to block 16 by a node with these logs. `covered`: stored as searched. `tokens`: once their contracts were called. */
async function searching({
  logs = [],
  covered = [],
  keys = searchedKeys([]),
  now = () => 0,
  ...options
}: Options = {}) {
  const methods: string[] = []
  const pool = createRpcPool({
    ...{ chain: 'ethereum', urls: [await startNode(logs)], clock: { now: () => Date.now() }, limits: UNHURRIED },
    observe: ({ method }) => methods.push(method),
  })
  const saved = new Map<string, FoundInLogs>()
  const tokens = new Map<string, EvmAddress[]>()
  const { ask = async () => new Set(), isKnown = () => false, moreKeys = async () => NO_MORE, ...store } = options
  const begun = { covered, isAnew: false, isDue: false, tokens: [], keys: [] }
  const discoveries: DiscoveryStore = {
    begin: async (_of, asked) => new Map([...asked].map(([address, seen]) => [address, { ...begun, heads: [seen] }])),
    findTokens: async () => [],
    findKeys: async (of) => ({ keys: [...(saved.get(of.wallet)?.keys ?? [])], cut: new Set() }),
    save: async (_of, found) => found.forEach((one, address) => void saved.set(address, one)),
    async findDue(of) {
      const contracts = [...(saved.get(of.wallet)?.due ?? [])]
      return { contracts, total: contracts.length }
    },
    settle: async (of, _asked, found) => void tokens.set(of.wallet, [...(tokens.get(of.wallet) ?? []), ...found]),
    ...store,
  }
  const context: Partial<EvmSearchContext> = {
    ...{ stores: { discoveries } as ChainStores, poolOf: () => pool, keysToSearch: () => keys, clock: { now } },
    ...{ recognise: { ask, isKnown }, moreKeys },
  }
  const { advanceTo } = createDiscovery(context as EvmSearchContext)
  const search = (address: EvmAddress, asked?: ReadonlySet<string>, hash: string | null = HASH) =>
    advanceTo(ethereum, address, { block: 16n, hash }, asked)
  return { search, saved, tokens, methods }
}

const NO_MORE = { keys: [], contracts: [] }
const covered = [{ fromBlock: 0n, toBlock: 16n }]

test('a search up to a block whose hash is not known waits where the node asks for fewer requests', async () => {
  const { search, saved } = await searching()
  expect(await search(wallet, undefined, null)).toEqual({ found: false, end: 'whole', isAnew: false })
  expect([...saved.values()]).toEqual([{ due: [], keys: [], covered, heads }])
})

const connector = '0x00000000000000000000000000000000000000ec'
const account = '0x00000000000000000000000000000000000000fe'
const padded = (address: string) => `0x${address.slice(2).padStart(64, '0')}`
const PREFIX = `0x${'0'.repeat(64)}`
const [CALLED, vault, swapper] = [`0x${'ca'.repeat(32)}`, `0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`] as const

const logOf = (address: string, topics: readonly string[], data: string, logIndex: number) => ({
  ...{ address, topics, data, blockNumber: '0x5', blockHash: HASH },
  ...{ transactionHash: `0x${'12'.repeat(32)}`, logIndex: `0x${logIndex}` },
})
/** A call as the account, via the connector. */
const callOf = (caller: string, target: string, logIndex: number) =>
  logOf(connector, [CALLED, padded(caller), PREFIX, padded(target)], padded(account), logIndex)

/** Searches a wallet whose calls are logged with its first 19 bytes. */
async function searchCalls(moreKeys: MoreKeys) {
  const called = { contract: connector, topic: CALLED, walletAt: 2, walletAs: 'prefix', keyAt: 'data' } as const
  const { search, saved, tokens } = await searching({
    logs: [callOf(wallet, vault, 0), callOf(wallet, swapper, 1), callOf(swapper, swapper, 2)],
    // Every called contract is a candidate; only the vault belongs to a protocol.
    async ask(_chain, found) {
      expect(found.toSorted()).toEqual([vault, swapper, connector].slice(0, found.length).toSorted())
      return new Set([vault])
    },
    moreKeys,
    keys: searchedKeys([{ ...called, contractAt: 3, differing: [1, 3] }]),
  })
  const ended = await search(wallet)
  return { ended, saved: [...saved.values()].map(({ due: _, ...one }) => one), tokens: tokens.get(wallet) }
}

const ended = { found: true, isAnew: false }
const named = { contract: connector, key: BigInt(account), block: 5n } as const

test('accounts that calls name are keys, once a call is no echo; contracts are kept where a row recognises them', async () => {
  const led = { contract: connector, key: 0xabn } as const
  const asked: unknown[] = []
  const found = await searchCalls(async (_chain, _wallet, keys) => {
    asked.push(...keys)
    return { keys: [led], contracts: [connector] }
  })
  expect(asked).toEqual([named, named])
  expect(found.ended).toEqual({ ...ended, end: 'whole' })
  expect(found.saved).toEqual([{ keys: [named, named, { ...led, block: 16n }], covered, heads }])
  expect(found.tokens).toEqual([vault])
})

test('where a node fails to say what keys lead to, the search is not whole, and what logs named is kept', async () => {
  const found = await searchCalls(async () => {
    throw new UpstreamError('unavailable', 'no node answers')
  })
  expect(found.ended).toEqual({ ...ended, end: 'unfinished' })
  expect(found.saved).toEqual([{ keys: [named, named], covered, heads }])
  expect(found.tokens).toEqual([vault])
})

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const [listed, unlisted, hostile] = [`0x${'c1'.repeat(20)}`, `0x${'c2'.repeat(20)}`, `0x${'c3'.repeat(20)}`] as const
const [first, second] = [
  '0x00000000000000000000000000000000000000a1',
  '0x00000000000000000000000000000000000000a2',
] as const

const transferOf = (address: string, to: string, logIndex: number) =>
  logOf(address, [TRANSFER, padded(swapper), padded(to)], padded('0x5'), logIndex)

test('a wallet is read again only for what its read has not asked about', async () => {
  const { search, tokens } = await searching({ logs: [transferOf(listed, first, 0), transferOf(unlisted, second, 1)] })
  const asked = new Set<string>([listed])
  const [one, other] = await Promise.all([search(first, asked), search(second, asked)])
  expect([one.found, other.found]).toEqual([false, true])
  expect([tokens.get(first), tokens.get(second)]).toEqual([[listed], [unlisted]])
  expect((await search(first)).found).toBe(true)
})

test('wallets are searched by one request, and one that fails leaves the others their results', async () => {
  const { search, saved, methods } = await searching({ logs: [transferOf(listed, first, 0)] })
  await Promise.all([search(first), search(second)])
  // This node takes no batch: the head and the logs of both are separate requests.
  expect(methods).toEqual(['batch:eth_getLogs', 'eth_blockNumber', 'eth_getLogs'])
  expect([...saved.keys()].toSorted()).toEqual([first, second])

  const failing = await searching({
    logs: [transferOf(listed, first, 0), transferOf(hostile, second, 1)],
    async ask(_chain, found) {
      if (found.includes(hostile)) throw new UpstreamError('timeout', 'the node does not answer')
      return new Set()
    },
  })
  const [one, other] = await Promise.allSettled([failing.search(first), failing.search(second)])
  expect([one.status, other.status]).toEqual(['fulfilled', 'rejected'])
  // Both are searched; contracts of the second are still unchecked.
  expect([...failing.saved.keys()].toSorted()).toEqual([first, second])
  expect([...failing.tokens]).toEqual([[first, [listed]]])
})

test('a search that finds nothing in a few blocks is not stored, one that finds something is', async () => {
  const most = [{ fromBlock: 0n, toBlock: 10n }]
  const quiet = await searching({ covered: most })
  expect(await quiet.search(first)).toEqual({ found: false, end: 'whole', isAnew: false })
  expect([...quiet.saved]).toEqual([])
  const cold = await searching()
  await cold.search(first)
  expect(cold.saved.get(first)?.covered).toEqual(covered)
  const finding = await searching({ logs: [{ ...transferOf(listed, first, 0), blockNumber: '0xc' }], covered: most })
  await finding.search(first)
  expect(finding.saved.get(first)).toEqual({
    due: [{ address: listed, block: 12n, sent: true }],
    ...{ keys: [], heads },
    covered: [{ fromBlock: 11n, toBlock: 16n }],
  })
})

test('of a flood a limited number of contracts is asked a day, in rounds, newest and oldest in turns; the rest stays to be searched', async () => {
  const contractOf = (i: number): EvmAddress => `0xd${i.toString(16).padStart(39, '0')}`
  const shared = contractOf(9_999)
  let due = Array.from({ length: 10_000 }, (_, i) => contractOf(9_999 - i))
  let now = 0
  const asked: EvmAddress[][] = []
  const begun = { covered, isAnew: false, isDue: true, tokens: [], keys: [] }
  const { search } = await searching({
    begin: async (_of, all) => new Map([...all].map(([address, seen]) => [address, { ...begun, heads: [seen] }])),
    async findDue(_of, perEnd) {
      const ends = [...new Set([...due.slice(0, perEnd), ...due.slice(-perEnd)])]
      return { contracts: ends.map((address) => ({ address, block: 1n, sent: true })), total: due.length }
    },
    async settle(_of, some) {
      due = due.filter((one) => !some.includes(one))
    },
    async ask(_chain, found) {
      asked.push([...found])
      return new Set()
    },
    isKnown: (_chain, address) => address === shared,
    now: () => now,
  })
  const round = () => search(wallet, new Set())
  expect(await round()).toEqual({ found: true, end: 'unasked', isAnew: false, more: true })
  // Another wallet's contract does not count: 250 more, the newest and the oldest first.
  expect(asked.flat()).toHaveLength(251)
  expect(asked.slice(0, 2).map((page) => page.slice(0, 2))).toEqual([[shared], [contractOf(9_998), contractOf(0)]])
  expect(asked.every((page) => page.length <= 50)).toBe(true)
  let rounds = 1
  for (let step = await round(); step.more; step = await round()) rounds += 1
  expect([rounds, asked.flat().length]).toEqual([7, 2_001])
  expect(await round()).toEqual({ found: false, end: 'unasked', isAnew: false })
  expect(asked.flat()).toHaveLength(2_001)
  now = 24 * 3_600_000
  // Background work for a snapshot checks its whole limit in one step.
  expect(await search(wallet, undefined, null)).toMatchObject({ found: true, end: 'unasked' })
  expect(asked.flat()).toHaveLength(4_001)
  expect(new Set(asked.flat()).size).toBe(4_001)
})
