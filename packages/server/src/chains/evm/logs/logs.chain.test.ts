import { toEventSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { UNHURRIED } from '../../../../test/hangs.ts'
import { nodeBehindProxy } from '../../../../test/node-behind-proxy.ts'
import type { Fault, RpcCall } from '../../../../test/rpc-proxy.ts'
import { testAddress, word } from '../../../../test/test-tokens.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { createRpcPool, type RpcPool } from '../../rpc/rpc-pool.ts'
import { searchedKeys } from '../collect/wallet-keys.ts'
import type { Hex } from '../rpc-values.ts'
import { APPROVAL } from './logs.ts'
import { type FoundLogs, findLogs, type LogScan } from './scan-logs.ts'
import { discoverTokens } from './token-discovery.ts'

const wallet = testAddress(1, 1)
const outsider = testAddress(1, 2)
const rich = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Logs Transfer(caller, the address sent as first word, the second word): LOG3 with the amount as data. */
const erc20 = `0x60203560005260003533${TRANSFER.replace('0x', '7f')}60206000a3`
/** The same with the second word as a fourth topic: LOG4 without data. */
const erc721 = `0x60203560003533${TRANSFER.replace('0x', '7f')}60006000a4`

/** As the ERC-20, by the event of ERC-404. */
const UNITS_TRANSFER = toEventSelector('event ERC20Transfer(address,address,uint256)')
const erc404 = erc20.replace(TRANSFER.slice(2), UNITS_TRANSFER.slice(2))

const fungible = [testAddress(2, 1), testAddress(2, 2)] as const
const collectible = testAddress(2, 3)
const units = testAddress(2, 4)

const { node, proxy } = await nodeBehindProxy()
/** Blocks with a transfer of the first token to the wallet. */
const blocks: bigint[] = []

const pad = (address: string): Hex => `0x${address.slice(2).padStart(64, '0')}`
const topics = [TRANSFER, null, pad(wallet)]
const isWider = (most: bigint) => (call: RpcCall) =>
  isSearch(call) && BigInt(filterOf(call).toBlock) - BigInt(filterOf(call).fromBlock) >= most
const pool = (...urls: string[]) => createRpcPool({ chain: 'ethereum', urls, limits: UNHURRIED })

async function transfer(token: string, to: string, amount: bigint): Promise<bigint> {
  const sent = { from: rich, to: token, data: `${pad(to)}${word(amount).slice(2)}`, gas: '0x30d40', gasPrice: '0x0' }
  return BigInt((await node.send<{ blockNumber: string }>('eth_sendTransactionSync', sent)).blockNumber)
}

/** Blocks and topics of a search. */
const filterOf = ({ params }: RpcCall) => params[0] as { fromBlock: string; toBlock: string; topics: unknown[] }
const isSearch = ({ method }: RpcCall) => method === 'eth_getLogs'
/** Searches of the whole chain for transfers to the wallet. */
const findAll = (shared: RpcPool, search: Partial<LogScan> = {}) =>
  findLogs({ pool: shared, filters: [topics], fromBlock: 0n, toBlock: head, ...search })
/** Makes the node refuse or change calls. */
const inject = (when: (call: RpcCall) => boolean, fault: Fault) => proxy.add({ when, fault })

for (const token of fungible) await node.send('anvil_setCode', token, erc20)
await node.send('anvil_setCode', collectible, erc721)
await node.send('anvil_setCode', units, erc404)
await transfer(units, wallet, 5n)
await transfer(units, outsider, 0n)
for (let i = 0; i < 12; i += 1) {
  blocks.push(await transfer(fungible[0], wallet, 10n))
  await node.send('anvil_mine', '0x14')
}
await transfer(fungible[1], wallet, 0n)
await transfer(fungible[1], outsider, 5n)
await transfer(collectible, wallet, 77n)
const head = BigInt(await node.send<string>('eth_blockNumber'))

/** Searches logs of one wallet and returns the search's progress. */
async function discover(
  search: Parameters<typeof discoverTokens>[0],
  owner: EvmAddress,
  logs: Parameters<typeof discoverTokens>[2],
) {
  const { namedFor, ...found } = await discoverTokens(search, [owner], logs)
  return { ...namedFor(owner), ...found }
}

const logRequests = () => proxy.calls().filter(isSearch)

test('the tokens that a wallet was sent, neither spam of nothing nor NFTs nor what others were sent', async () => {
  const found = await discover({ pool: pool(proxy.url), fromBlock: 0n, toBlock: head }, wallet, [])
  expect(found).toEqual({
    erc20s: [fungible[0]],
    keys: [],
    contracts: [],
    namedAt: new Map([[fungible[0], expect.any(BigInt)]]),
    covered: [{ fromBlock: 0n, toBlock: head }],
    missing: [],
    steps: 1,
  })
  expect(logRequests()).toHaveLength(1)
})

test('keys that contracts gave a wallet: of those that are asked for alone, and with no request more for NFTs', async () => {
  const search = { pool: pool(proxy.url), fromBlock: 0n, toBlock: head }
  const ids = { contract: collectible, topic: TRANSFER, walletAt: 2, keyAt: 3 } as const
  const found = await discover(search, wallet, [ids])
  expect(found.keys).toEqual([{ contract: collectible, key: 77n, block: head }])
  expect(found.erc20s).toEqual([fungible[0]])
  expect(logRequests()).toHaveLength(1)
  expect((await discover(search, wallet, [{ ...ids, contract: fungible[0] }])).keys).toEqual([])
  proxy.reset()
  // Two events with the wallet at the second place are one request; the first place needs its own.
  const others = [
    { ...ids, topic: APPROVAL },
    { ...ids, walletAt: 1, keyAt: 3 },
  ] as const
  expect((await discover(search, wallet, [ids, ...others])).keys).toEqual(found.keys)
  expect((await discover(search, rich, [others[1]])).keys).toEqual(found.keys)
  const filters = logRequests().map((call) => filterOf(call).topics)
  expect(filters).toEqual([
    [[TRANSFER, APPROVAL], null, pad(wallet)],
    [TRANSFER, pad(wallet)],
    [TRANSFER, null, pad(rich)],
    [TRANSFER, pad(rich)],
  ])
})

test('units of ERC-404 name their token with no request more, and units of nothing name none', async () => {
  const search = { pool: pool(proxy.url), fromBlock: 0n, toBlock: head }
  const { logs } = searchedKeys([])
  const found = await discover(search, wallet, logs)
  expect(found).toMatchObject({ erc20s: [units, fungible[0]], contracts: [units], keys: [] })
  expect(logRequests().map((call) => filterOf(call).topics)).toEqual([[[TRANSFER, UNITS_TRANSFER], null, pad(wallet)]])
  expect((await discover(search, outsider, logs)).erc20s).toEqual([fungible[1]])
})

test('filters leave in one request, after the head of the node that answers them; alone where batches are refused', async () => {
  const filters = [[TRANSFER, null, pad(wallet)] as const, [TRANSFER, pad(wallet)] as const]
  const whole = await findAll(pool(proxy.url), { filters })
  expect(whole.covered).toEqual([{ fromBlock: 0n, toBlock: head }])
  expect(whole.logs.length).toBe(blocks.length + 2)
  const asked = ['eth_blockNumber', 'eth_getLogs', 'eth_getLogs']
  expect(proxy.calls().map(({ method }) => method)).toEqual(asked)
  expect([proxy.requests(), proxy.calls().every(proxy.isBatch)]).toEqual([1, true])

  proxy.reset()
  proxy.add({ when: proxy.isBatch, fault: { raw: { status: 403, body: 'Forbidden' } } })
  const single = pool(proxy.url)
  for (const requests of [asked.length + 1, asked.length]) {
    expect(await findAll(single, { filters })).toEqual(whole)
    const alone = proxy.calls().filter((call) => !proxy.isBatch(call))
    expect([alone.map(({ method }) => method), proxy.requests()]).toEqual([asked, requests])
    proxy.reset()
  }
})

test('a batch that fails because of its logs is no reason to send no more batches', async () => {
  const error = { code: -32000, message: 'block range is too large, max 30' }
  inject(isWider(30n), { raw: { status: 400, body: JSON.stringify({ jsonrpc: '2.0', error }) } })
  const shared = pool(proxy.url)
  expect((await findAll(shared)).covered).toEqual([{ fromBlock: 0n, toBlock: head }])
  expect(shared.capabilities()[0]?.batchSize).toBe(50)
})

test('logs that name the first 19 bytes of a wallet are no request more', async () => {
  const called = { contract: collectible, topic: APPROVAL, walletAt: 2, walletAs: 'prefix', keyAt: 'data' } as const
  const search = { pool: pool(proxy.url), fromBlock: 0n, toBlock: head }
  expect((await discover(search, wallet, [called])).erc20s).toEqual([fungible[0]])
  const prefix = `0x${wallet.slice(2, 40)}${'0'.repeat(26)}`
  expect(logRequests().map((call) => filterOf(call).topics)).toEqual([
    [[TRANSFER, APPROVAL], null, [pad(wallet), prefix]],
  ])
})

test('several wallets are one search, split by the address in each log', async () => {
  const owners = Array.from({ length: 100 }, (_, i) => testAddress(9, i))
    .with(40, wallet)
    .with(70, outsider)
  const ids = { contract: collectible, topic: TRANSFER, walletAt: 2, keyAt: 3 } as const
  const found = await discoverTokens({ pool: pool(proxy.url), fromBlock: 0n, toBlock: head }, owners, [ids])
  expect(logRequests().map((call) => filterOf(call).topics[2])).toEqual([owners.map(pad)])
  const keys = [{ contract: collectible, key: 77n, block: head }]
  expect(found.namedFor(wallet)).toMatchObject({ erc20s: [fungible[0]], keys, contracts: [] })
  expect(found.namedFor(outsider)).toMatchObject({ erc20s: [fungible[1]], keys: [], contracts: [] })
  expect(found.namedFor(testAddress(9, 0))).toMatchObject({ erc20s: [], keys: [], contracts: [] })
})

describe('wallets that a filter may name', () => {
  const owners = Array.from({ length: 100 }, (_, i) => testAddress(9, i)).with(99, wallet)
  const namedIn = (call: RpcCall) => [filterOf(call).topics[2]].flat().length
  const search = (shared: ReturnType<typeof pool>) =>
    discoverTokens({ pool: shared, fromBlock: 0n, toBlock: head }, owners, [])

  test.each([
    ['named in the refusal', { code: -32000, message: 'exceed max addresses or topics per search position' }],
    ['by a refusal that says nothing', { code: -32602, message: 'invalid params' }],
  ])('are learned down: %s', async (_, error) => {
    const isMany = (call: RpcCall) => isSearch(call) && namedIn(call) > 30
    inject(isMany, { error })
    const shared = pool(proxy.url)
    const found = await search(shared)
    expect(found.covered).toEqual([{ fromBlock: 0n, toBlock: head }])
    expect(found.namedFor(wallet).erc20s).toEqual([fungible[0]])
    expect(shared.capabilities()[0]).toMatchObject({ topicValues: 25, logLimit: null })
    const asked = logRequests().length
    const again = await search(shared)
    expect(again.namedFor(wallet)).toEqual(found.namedFor(wallet))
    expect(logRequests().slice(asked).filter(isMany)).toEqual([])
  })

  test('are not what an endpoint without logs refuses', async () => {
    inject(isSearch, { error: { code: -32005, message: 'limit exceeded' } })
    const shared = pool(proxy.url)
    expect((await search(shared)).failure?.reason).toBe('not-allowed')
    expect(shared.capabilities()[0]?.topicValues).toBe(1000)
    expect(logRequests().length).toBeLessThan(30)
  })
})

describe('limits of providers', () => {
  /** Blocks with a transfer of the first token. */
  const blocksOf = ({ logs }: FoundLogs) =>
    logs.flatMap(({ address, blockNumber }) => (address === fungible[0] ? blockNumber : []))
  const [UP_TO, RANGE] = ['with up to a 2K block range', "'fromBlock'-'toBlock'"]
  const dialects: [string, number, string][] = [
    ['results', -32005, 'query returned more than 10000 results'],
    ['a suggested range', -32005, 'query returned more than 10000 results. Try with this block range [0x0, 0x1d].'],
    ['response size', -32602, `Log response size exceeded. You can make eth_getLogs requests ${UP_TO}`],
    ['a named width', -32000, 'eth_getLogs is limited to a 30 blocks range'],
    ['a maximum', -32000, 'block range is too large, max 30'],
    ['a maximum that is set', -32602, 'exceed maximum block range: 30'],
    ['a maximum at the end', -32047, `Invalid eth_getLogs request. ${RANGE} range too large. Max range: 30`],
    ['a maximum of a client', -32602, 'query exceeds max block range 30'],
    ['a width and a limit', -32602, 'range 120 exceeds limit of 30'],
    ['a width that is not named', -32600, 'block range is too wide'],
    ['free tiers', 35, 'ranges over 30 blocks are not supported on freetier'],
    ['query time', -32005, 'query timeout exceeded'],
    ['no reason', -32603, 'internal error'],
    ['parameters', -32602, 'invalid params'],
  ]
  test.each(dialects)('%s: the range is searched whole', async (_, code, message) => {
    inject(isWider(30n), { error: { code, message } })
    const shared = pool(proxy.url)
    const found = await findAll(shared)
    expect(found.covered).toEqual([{ fromBlock: 0n, toBlock: head }])
    expect(blocksOf(found)).toEqual(blocks)
    const refused = proxy.calls().filter(isWider(30n)).length
    expect(refused).toBeLessThan(12)
    proxy.reset()
    inject(isWider(30n), { error: { code, message } })
    await findAll(shared, { toBlock: 29n })
    expect(logRequests().length).toBeLessThanOrEqual(3)
  })

  test('a limit is learned once: hardly a request of a long search is refused', async () => {
    for (const [code, message] of [
      [-32614, 'eth_getLogs is limited to a 5 range'],
      [-32602, 'Block range limit exceeded.'],
    ] as const) {
      proxy.reset()
      const isTooWide = isWider(5n)
      inject(isTooWide, { error: { code, message } })
      const shared = pool(proxy.url)
      for (let round = 0; round < 10; round += 1) {
        expect((await findAll(shared)).missing).toEqual([])
      }
      const asked = logRequests()
      expect(asked.length).toBeGreaterThan(500)
      expect(asked.filter(isTooWide).length / asked.length).toBeLessThan(0.02)
    }
  })

  const pruned: [string, number, string][] = [
    ['geth', 4444, 'pruned history unavailable'],
    ['Nethermind', -32000, 'Receipt not available for From block 3.'],
    ['Erigon', -32000, 'old data not available due to pruning'],
  ]
  test.each(pruned)('%s without old history: the rest is searched, and where it begins found once', async (...row) => {
    const [, code, message] = row
    const first = blocks[5] ?? 0n
    const isOld = (call: RpcCall) => isSearch(call) && BigInt(filterOf(call).fromBlock) < first
    inject(isOld, { error: { code, message } })
    const shared = pool(proxy.url)
    const found = await findAll(shared)
    expect(found.covered).toEqual([{ fromBlock: first, toBlock: head }])
    expect(found.missing).toEqual([{ fromBlock: 0n, toBlock: first - 1n }])
    expect(found.failure?.message).toBe(`ethereum eth_getLogs: history before block ${first} is pruned`)
    expect(blocksOf(found)).toEqual(blocks.filter((block) => block >= first))
    proxy.reset()
    inject(isOld, { error: { code, message } })
    await findAll(shared)
    expect(proxy.calls().filter(isOld)).toEqual([])
    // Another endpoint may have kept these logs.
    expect((await findAll(pool(proxy.url, node.url))).missing).toEqual([])
  })

  test('logs that are not served for a single block are not asked for again for a while', async () => {
    inject(isSearch, { error: { code: -32005, message: 'limit exceeded' } })
    const shared = pool(proxy.url)
    for (let i = 0; i < 3; i += 1) {
      const found = await findAll(shared)
      expect(found.missing).toEqual([{ fromBlock: 0n, toBlock: head }])
      expect(found.failure?.reason).toBe('not-allowed')
    }
    expect(logRequests().length).toBeLessThan(12)
    expect(shared.capabilities()[0]?.refused).toHaveProperty('eth_getLogs')
  })

  const refusals: [string, Fault][] = [
    ['an internal error', { error: { code: -32603, message: 'internal error: poisoned index' } }],
    ['an unknown method', { error: { code: -32601, message: 'the method does not exist/is not available' } }],
    ['a limit without words', { error: { code: -32005, message: 'limit exceeded' } }],
    ['a page with 403', { raw: { status: 403, body: '<html><body>Forbidden</body></html>' } }],
  ]
  describe.each(refusals)('%s', (_, fault) => {
    const names = (what: string) => (call: RpcCall) =>
      isSearch(call) && JSON.stringify(call.params).includes(what.slice(2))
    const known = () => ({ refused: {}, logLimit: null, topicValues: 1_000 })

    test('for one wallet: it alone is not searched, and the endpoint keeps its limits', async () => {
      inject(names(outsider), fault)
      const shared = pool(proxy.url)
      const together = [[TRANSFER, null, [pad(wallet), pad(outsider)]] as const]
      for (const filters of [together, [[TRANSFER, null, pad(outsider)] as const]]) {
        const refused = await findAll(shared, { filters })
        expect(refused.failure?.reason).toBe('not-allowed')
        expect(refused.missing).toEqual([{ fromBlock: 0n, toBlock: head }])
      }
      expect(shared.capabilities()[0]).toMatchObject(known())
      proxy.reset()
      inject(names(outsider), fault)
      const found = await findAll(shared)
      expect(found.logs.map(({ blockNumber }) => blockNumber)).toEqual([...blocks, head - 2n, head])
      expect(found.missing).toEqual([])
      expect(logRequests()).toHaveLength(1)
    })

    test('for one token: logs of others are searched by their addresses', async () => {
      inject(names(fungible[1]), fault)
      const shared = pool(proxy.url)
      const of = (token: EvmAddress) => findAll(shared, { addresses: [token] })
      expect((await of(fungible[1])).failure?.reason).toBe('not-allowed')
      expect((await of(fungible[0])).logs.map(({ blockNumber }) => blockNumber)).toEqual(blocks)
      expect(shared.capabilities()[0]).toMatchObject(known())
    })

    test('for one block: searches of other blocks continue', async () => {
      const broken = blocks[6] ?? 0n
      const covers = (call: RpcCall) =>
        isSearch(call) && BigInt(filterOf(call).fromBlock) <= broken && BigInt(filterOf(call).toBlock) >= broken
      inject(covers, fault)
      const shared = pool(proxy.url)
      const found = await findAll(shared)
      expect(found.failure?.reason).toBe('not-allowed')
      expect(found.missing).toEqual([{ fromBlock: broken, toBlock: head }])
      expect((await findAll(shared, { fromBlock: broken + 1n })).missing).toEqual([])
      expect(shared.capabilities()[0]).toMatchObject(known())
    })
  })

  const ofOutsider = (log: unknown) => ({ ...(log as object), topics: [TRANSFER, pad(rich), pad(outsider)] })
  const faults: [string, Fault][] = [
    ['a stall', { socket: 'stall' }],
    ['a cut answer', { socket: 'cut' }],
    ['null', { answer: (envelope) => ({ ...envelope, result: null }) }],
    [
      'logs of other blocks',
      { params: ([filter]) => [{ ...(filter as object), fromBlock: '0x0', toBlock: 'latest' }] },
    ],
    ['logs of other wallets', { answer: (e) => ({ ...e, result: [e['result']].flat().map(ofOutsider) }) }],
  ]
  test.each(faults)('%s in the middle: nothing is taken for searched that was not', async (_, fault) => {
    const middle = blocks[6] ?? 0n
    inject(isWider(30n), { error: { code: -32000, message: 'block range is too large, max 30' } })
    inject((call) => isSearch(call) && BigInt(filterOf(call).toBlock) >= middle, fault)
    const limits = fault.socket === 'stall' ? { ...UNHURRIED, logTimeoutMs: 3_000 } : UNHURRIED
    const found = await findAll(createRpcPool({ chain: 'ethereum', urls: [proxy.url], limits }))
    const [covered] = found.covered
    expect(found.failure?.name).toBe('UpstreamError')
    expect(covered?.toBlock).toBeLessThan(middle)
    expect(found.missing).toEqual([{ fromBlock: (covered?.toBlock ?? 0n) + 1n, toBlock: head }])
    const seen = found.logs.map(({ blockNumber }) => blockNumber)
    expect(seen).toEqual(blocks.filter((block) => block <= (covered?.toBlock ?? -1n)))
    expect(seen.length).toBeGreaterThan(3)
  })

  test('duplicate logs in any order are one log each, in order', async () => {
    const doubled: Fault = {
      answer: (envelope) => {
        const logs = envelope['result']
        return Array.isArray(logs) ? { ...envelope, result: [...logs, ...logs].reverse() } : envelope
      },
    }
    proxy.add({ fault: doubled })
    const found = await findAll(pool(proxy.url), { addresses: [fungible[0]] })
    expect(found.logs.map(({ blockNumber }) => blockNumber)).toEqual(blocks)
  })

  test('an endpoint that has not got the last blocks does not vouch for them', async () => {
    const answer: Fault['answer'] = (envelope) => ({ ...envelope, result: `0x${(head - 5n).toString(16)}` })
    inject(({ method }) => method === 'eth_blockNumber', { answer })
    expect((await findAll(pool(proxy.url))).covered).toEqual([])
    expect((await findAll(pool(proxy.url, node.url))).covered).toEqual([{ fromBlock: 0n, toBlock: head }])
  })

  test('a search with few requests says what it left', async () => {
    inject(isWider(30n), { error: { code: -32000, message: 'block range is too large, max 30' } })
    const found = await findAll(pool(proxy.url), { maxRequests: 4 })
    expect(found.failure).toBeUndefined()
    expect(found.missing).toEqual([{ fromBlock: (found.covered[0]?.toBlock ?? 0n) + 1n, toBlock: head }])
  })
})
