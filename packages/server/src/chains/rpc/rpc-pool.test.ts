import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { HANGS_MS } from '../../../test/hangs.ts'
import { withTenant } from '../../lib/tenant.ts'
import { parseQuantity } from '../evm/rpc-values.ts'
import { RpcRefusal } from './json-rpc.ts'
import type { RpcEvent } from './rpc-endpoint.ts'
import { createRpcPool, type RpcPoolOptions } from './rpc-pool.ts'

type Answer = { status?: number; headers?: Record<string, string>; body?: (id: number) => string }
const ok: Answer = { body: (id) => JSON.stringify({ jsonrpc: '2.0', id, result: '0x10' }) }

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A node with the same answer to every call. Counts requests. */
async function startNode(answer: Answer) {
  const node = { url: '', requests: 0, answer, authorization: '' as string | undefined }
  const server = createServer(async (request, response) => {
    node.requests += 1
    node.authorization = request.headers.authorization
    let body = ''
    for await (const part of request) body += part
    response.writeHead(node.answer.status ?? 200, node.answer.headers)
    const sent = JSON.parse(body) as { id: number } | { id: number }[]
    const answerOf = ({ id }: { id: number }) => node.answer.body?.(id) ?? ''
    response.end(Array.isArray(sent) ? `[${sent.map(answerOf).join(',')}]` : answerOf(sent))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return node
}

const request = { method: 'eth_blockNumber', params: [], parse: parseQuantity }
const limits = { timeoutMs: HANGS_MS, backoffMs: 1 }

/** A pool over a node for each answer, with a manual clock. */
async function rig(answers: readonly Answer[], options: Partial<RpcPoolOptions> = {}) {
  const clock = { time: 5_000_000, now: () => clock.time }
  const nodes = await Promise.all(answers.map(startNode))
  const pool = createRpcPool({ chain: 'x', urls: nodes.map(({ url }) => url), clock, limits, ...options })
  const [node = expect.fail('no node'), other = node] = nodes
  const requests = () => nodes.map((each) => each.requests)
  return { clock, node, other, pool, requests, ask: () => pool.session().request(request) }
}

test('endpoints are asked in the order given, and a session stays where it was answered', async () => {
  const { clock, node, pool, requests, ask } = await rig([{ status: 500 }, ok])
  const session = pool.session()
  expect(await session.request(request)).toBe(16n)
  node.answer = ok
  for (let i = 0; i < 5; i += 1) await session.request(request)
  expect(requests()).toEqual([1, 6])
  clock.time += 2_000
  await ask()
  expect(node.requests).toBe(2)
})

test('a new start begins at an endpoint that did not just fail', async () => {
  const { node, other, requests, ask } = await rig([{ status: 500 }, ok])
  await ask()
  node.answer = ok
  await ask()
  expect(requests()).toEqual([1, 2])
  other.answer = { status: 500 }
  await ask()
  await ask()
  expect(requests()).toEqual([3, 3])
})

test('an endpoint that keeps failing is left alone, then probed once', async () => {
  const { clock, node: ill, ask } = await rig([{ status: 502 }, ok])
  for (let i = 0; i < 5; i += 1) {
    await ask()
    clock.time += 2_000
  }
  expect(ill.requests).toBe(5)
  clock.time += 2_999
  await ask()
  expect(ill.requests).toBe(5)
  clock.time += 1
  ill.answer = ok
  await ask()
  expect(ill.requests).toBe(6)
  await ask()
  expect(ill.requests).toBe(7)
})

const refused = (code: number, message: string, status = 200): Answer => ({
  status,
  body: (id) => JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }),
})

test('refusals of a method never shut an endpoint', async () => {
  const { node, ask } = await rig([refused(-32005, 'limit exceeded')])
  const message = 'x#1 eth_blockNumber: the node refused the call (-32005, other)'
  for (let i = 0; i < 20; i += 1) await expect(ask()).rejects.toThrow(message)
  node.answer = ok
  expect(await ask()).toBe(16n)
})

test('a node that fails inside whatever it is asked for is left alone', async () => {
  const { node, pool, ask } = await rig([refused(-32603, 'Internal error')])
  for (let i = 0; i < 12; i += 1) {
    const asked = { ...request, method: ['eth_call', 'eth_blockNumber', 'eth_getLogs'][i % 3] as string }
    await expect(pool.session().request(asked)).rejects.toThrow()
  }
  const { requests } = node
  await expect(ask()).rejects.toThrow('no endpoint of x can be asked')
  expect(node.requests).toBe(requests)
})

test('calls that are refused in a batch count as they do alone, unless another call of it is answered', async () => {
  const internal = refused(-32603, 'Internal error')
  const events: RpcEvent[] = []
  const observe = (event: RpcEvent) => events.push(event)
  const { node, pool } = await rig([{ body: (id) => (id % 2 === 0 ? internal : ok).body?.(id) ?? '' }], { observe })
  const methods = ['eth_blockNumber', 'eth_getBalance', 'eth_getCode', 'eth_call']
  const batch = methods.map((method) => ({ ...request, method }))
  const ask = () => pool.session().run((endpoint) => endpoint.batch(batch))
  for (let i = 0; i < 12; i += 1) {
    expect((await ask()).map((answer) => answer instanceof RpcRefusal)).toEqual([false, true, false, true])
  }
  expect(events).toContainEqual(expect.objectContaining({ method: 'batch:eth_call', outcome: 'refused' }))
  node.answer = internal
  // Two failures, then four more: five close the endpoint.
  for (let i = 0; i < 2; i += 1) expect(await ask()).toEqual(batch.map(() => expect.any(RpcRefusal)))
  const { requests } = node
  await expect(ask()).rejects.toThrow('no endpoint of x can be asked')
  expect(node.requests).toBe(requests)
})

test('a batch has the time of its longest call', async () => {
  const { pool } = await rig([ok], { limits: { timeoutMs: 0 } })
  const batch = [request, { ...request, timeoutMs: 5_000 }]
  expect(await pool.session().run((endpoint) => endpoint.batch(batch))).toEqual([16n, 16n])
})

test('the status 429 means fewer requests, regardless of its text', async () => {
  const { node, ask } = await rig([{ ...refused(-32005, 'nope', 429), headers: { 'retry-after': '30' } }])
  await expect(ask()).rejects.toMatchObject({ reason: 'rate-limited' })
  expect(node.requests).toBe(1)
})

test('an endpoint that asks for a rest gets it', async () => {
  const { clock, node: busy, ask } = await rig([{ status: 429, headers: { 'retry-after': '30' } }])
  await expect(ask()).rejects.toMatchObject({ reason: 'rate-limited' })
  await expect(ask()).rejects.toThrow('every endpoint of x asks for fewer requests')
  expect(busy.requests).toBe(1)
  clock.time += 30_000
  busy.answer = ok
  expect(await ask()).toBe(16n)
})

test('events are reported by place and reason, never by URL', async () => {
  const events: RpcEvent[] = []
  const node = await startNode({ status: 500 })
  const observe = (event: RpcEvent) => events.push(event)
  const pool = createRpcPool({ chain: 'base', urls: [`${node.url}/key`], observe, limits })
  await expect(pool.session().request(request)).rejects.toThrow()
  node.answer = ok
  await pool.session().request(request)
  expect(events.map(({ endpoint, method, outcome }) => [endpoint, method, outcome])).toEqual([
    ['base#1', 'eth_blockNumber', 'unavailable'],
    ['base#1', 'eth_blockNumber', 'unavailable'],
    ['base#1', 'eth_blockNumber', 'ok'],
  ])
  expect(JSON.stringify(events)).not.toContain('127.0.0.1')
})

test('a user part of the URL becomes a header', async () => {
  const node = await startNode(ok)
  const pool = createRpcPool({ chain: 'x', urls: [node.url.replace('//', '//me:p%40ss@')], limits })
  await pool.session().request(request)
  expect(node.authorization).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`)
})

test('what was learned can be handed to the next start', () => {
  const known = [{ fallback: 'multicall3' as const, fallbackUntil: 9e15, logRange: '800' }]
  const pool = createRpcPool({ chain: 'x', urls: ['http://a.invalid', 'http://b.invalid'], known })
  expect(pool.capabilities()[0]).toMatchObject({ fallback: 'multicall3', logRange: '800', gasCeiling: 50_000_000 })
  expect(pool.capabilities()[1]).toMatchObject({ fallback: 'override', logRange: null })
})

test.each([
  [-32005, 'daily request limit reached', 'rate-limited'],
  [-32000, 'header not found', 'unknown-block'],
  [-32602, 'BlockOutOfRangeError: block height is 3 but requested was 153', 'unknown-block'],
  [-32000, 'missing trie node 5a1c (path ) state 0x12 is not available', 'unknown-block'],
  [3, 'execution reverted: ERC20: no', 'reverted'],
  [-32015, 'VM execution error.', 'reverted'],
  [-32603, 'EVM error InvalidFEOpcode', 'reverted'],
  [-32603, 'EVM error OutOfGas', 'gas'],
  [-32000, 'out of gas', 'gas'],
  [-32000, 'transaction gas limit too high (cap: 16777216, tx: 50000000)', 'gas'],
  [-32602, 'too many arguments, want at most 2', 'unsupported'],
  [-32601, 'the method does not exist/is not available', 'unsupported'],
  [-32603, 'internal error', 'other'],
  // Too many requests, in the words of Infura, Chainstack, dRPC and Cloudflare.
  [-32005, 'project ID request rate exceeded', 'rate-limited'],
  [-32005, "You've exceeded the RPS limit available on the current plan", 'rate-limited'],
  [15, 'Usage limit exceeded, please try again later', 'rate-limited'],
  [15, 'Free tier usage limit', 'rate-limited'],
  [-32016, 'over rate limit', 'rate-limited'],
  [-32007, '15/second request limit reached', 'rate-limited'],
  [-32012, 'credits limited to 6000/sec', 'rate-limited'],
  [429, 'Your app has exceeded its compute units per second capacity.', 'rate-limited'],
  // The same code for other refusals: not served (BNB Chain), too many results (Infura).
  [-32005, 'limit exceeded', 'other'],
  [-32005, 'query returned more than 10000 results', 'other'],
  // Pruned state: reth, Nethermind, Besu, Erigon 2 and 3, Alchemy, QuickNode, dRPC, publicnode.
  [-32603, 'state at block #12 is pruned', 'unknown-block'],
  [-32002, 'No state available for block 0x1f4a', 'unknown-block'],
  [-32000, 'World state unavailable', 'unknown-block'],
  [-32000, 'old data not available due to pruning', 'unknown-block'],
  [-32000, 'history has been pruned for this block', 'unknown-block'],
  [-32600, 'You need an archive node: this request is for a block of the past', 'unknown-block'],
  [-32612, 'Archive requests are not enabled on your current plan', 'unknown-block'],
  [-32000, 'metadata is not found, block is out of the pruning window', 'unknown-block'],
  [-32011, 'the node does not maintain archive data', 'unknown-block'],
  [-32602, 'Archive, Debug and Trace requests are not available, use a dedicated node', 'unknown-block'],
  [-32000, 'historical state 1a2b is not available', 'unknown-block'],
  [-32701, 'Archive, Debug and Trace requests require a personal token', 'unknown-block'],
  // Pruned logs, receipts and bodies: geth, reth, Nethermind.
  [4444, 'pruned history unavailable', 'pruned'],
  [-32000, 'Receipt not available for From block 12.', 'pruned'],
])('%i %s is %s', (code, text, kind) => {
  const refusal = new RpcRefusal(code, text)
  expect(refusal.kind).toBe(kind)
  expect(`${refusal.message}${JSON.stringify(refusal)}`).not.toContain(text)
})

test('an endpoint serves one account with two exchanges at a time while another waits, and without bound alone', async () => {
  const held: (() => void)[] = []
  const server = createServer(async (incoming, response) => {
    const { id } = JSON.parse(await text(incoming)) as { id: number }
    held.push(() => response.end(JSON.stringify({ jsonrpc: '2.0', id, result: '0x10' })))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const pool = createRpcPool({ chain: 'x', urls: [`http://127.0.0.1:${(server.address() as AddressInfo).port}`] })
  const outcomes: Promise<unknown>[] = []
  let answered = 0
  const ask = (tenant: string, count: number) =>
    withTenant(tenant, () => {
      for (let i = 0; i < count; i += 1)
        outcomes.push(
          pool
            .session()
            .request(request)
            .then(() => (answered += 1)),
        )
    })
  /** Answers all pending requests, `count` of them. */
  const answerAll = async (count: number) => {
    await expect.poll(() => held.length).toBe(count)
    const sum = answered + count
    for (const answer of held.splice(0)) answer()
    await expect.poll(() => answered).toBe(sum)
  }
  ask('flood', 12)
  await answerAll(12)
  ask('single', 1)
  ask('flood', 7)
  await answerAll(3)
  await answerAll(2)
  await answerAll(2)
  await answerAll(1)
  await Promise.all(outcomes)
})
