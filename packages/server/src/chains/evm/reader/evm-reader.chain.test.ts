import { parseAbi } from 'viem'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { UNHURRIED } from '../../../../test/hangs.ts'
import { localChain, startLocalNode } from '../../../../test/local-node.ts'
import { nodeBehindProxy } from '../../../../test/node-behind-proxy.ts'
import { type Fault, type RpcCall, type Rule, startRpcProxy } from '../../../../test/rpc-proxy.ts'
import { balanceSlot, codes, type Placed, placeContracts, testAddress, word } from '../../../../test/test-tokens.ts'
import { createRpcPool } from '../../rpc/rpc-pool.ts'
import { createEvmReader } from './create-evm-reader.ts'
import type { Lens } from './evm-reader.ts'

const abi = parseAbi(['function balanceOf(address owner) view returns (uint256)'])

const owner = testAddress(1, 1)
const token = testAddress(2, 1)
const other = testAddress(2, 2)
/** A local node's initial account. */
const RICH = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const paid = { from: RICH, to: owner, value: '0x1', gas: '0x5208', gasPrice: '0x0' }
const lens: Lens<typeof abi> = { name: 'balance', abi, runtimeCode: codes.token as `0x${string}` }

const isCall = ({ method }: RpcCall) => method === 'eth_call'
const isHeader = ({ method }: RpcCall) => method === 'eth_getBlockByNumber'

/** For nodes that hang: their other answers must fit. */
const SHORT = { ...UNHURRIED, timeoutMs: 5_000, totalMs: 60_000 }

const { node, proxy } = await nodeBehindProxy()

await placeContracts(node, [
  { address: token, code: 'token', balances: [[owner, 5n]] },
  { address: other, code: 'token', balances: [[owner, 6n]] },
])
await node.sendAll([
  ['anvil_setBalance', owner, word(9)],
  ['anvil_mine', '0x3'],
])

const poolOf = (...urls: string[]) => createRpcPool({ chain: 'ethereum', urls, limits: UNHURRIED })
const readerOf = (pool = poolOf(proxy.url), options: { at?: bigint } = {}) =>
  createEvmReader({ pool, chain: localChain, ...options })
const balanceOf = (reader: ReturnType<typeof readerOf>, address = token) =>
  reader.read({ address, abi, functionName: 'balanceOf', args: [owner] })

describe('a list of 5,000 tokens, 50 of them held, 1 % reverting, 1 % burning gas', () => {
  const kindOf = (i: number): Placed['code'] => {
    if (i % 100 === 1) return 'reverting'
    return i % 100 === 2 ? 'burning' : 'token'
  }
  const list = Array.from({ length: 5_000 }, (_, i): Placed => {
    const balances: Placed['balances'] = i % 100 === 0 ? [[owner, 10n ** 18n + BigInt(i)]] : []
    return { address: testAddress(5, i + 1), code: kindOf(i), balances }
  })
  const tokens = list.map(({ address }) => address)

  beforeAll(() => placeContracts(node, list), 120_000)

  test('an unknown wallet takes two trips, a known one takes one', async () => {
    const pool = createRpcPool({ chain: 'ethereum', urls: [proxy.url] })
    const visit = async (reader: ReturnType<typeof readerOf>) => {
      const [scan] = await Promise.all([reader.scan(owner, tokens), balanceOf(reader)])
      const answer = reader.lens(lens, { functionName: 'balanceOf', args: [owner] })
      const seen = await Promise.all([balanceOf(reader, other), answer])
      return { scan, seen, header: await reader.header() }
    }
    const unknown = createEvmReader({ pool, chain: localChain })
    const first = await visit(unknown)
    expect(first.scan.balances).toEqual(
      new Map(list.filter((_, i) => i % 100 === 0).map(({ address }, k) => [address, 10n ** 18n + BigInt(k * 100)])),
    )
    expect(first.scan.failed).toEqual(new Set(tokens.filter((_, i) => i % 100 === 1 || i % 100 === 2)))
    expect(first.seen).toEqual([6n, 0n])
    expect(proxy.trips()).toBe(2)
    expect(proxy.requests()).toBe(2)
    const scanned = proxy.calls().map((call) => (isCall(call) ? proxy.bytesOf(call) : 0))
    expect(Math.max(...scanned)).toBeLessThan(5_000)

    const plan = JSON.parse(JSON.stringify(unknown.plan()))
    expect(plan).toHaveLength(2)
    proxy.reset()
    const sameName = { ...lens, runtimeCode: '0x00' } as const
    const known = createEvmReader({ pool, chain: localChain, plan, lenses: [lens, sameName] })
    expect(await visit(known)).toEqual(first)
    expect(proxy.trips()).toBe(1)
    expect(proxy.requests()).toBe(1)
    expect(known.plan()).toEqual(plan)
  })

  test('a list too long for the gas that most nodes grant asks once for more, and takes a no for good', async () => {
    const long = [...tokens, ...Array.from({ length: 3_000 }, (_, i) => testAddress(6, i + 1))]
    const asked = () =>
      proxy.calls().flatMap(({ method, params: [call] }) => (method === 'eth_call' ? [gasOf(call)] : []))
    const gasOf = (call: unknown) => Number((call as { gas: string }).gas)
    const generous = poolOf(proxy.url)
    await readerOf(generous).scan(owner, long)
    expect(asked()).toEqual([200_000_000])
    expect(generous.capabilities()[0]).toMatchObject({ gasCeiling: 200_000_000, gasSettled: true })

    proxy.reset()
    const isTooMuch: Rule['when'] = ({ method, params: [call] }) => method === 'eth_call' && gasOf(call) > 50_000_000
    proxy.add({ when: isTooMuch, fault: { error: { code: -32000, message: 'no' } } })
    const strict = poolOf(proxy.url)
    for (let round = 0; round < 2; round += 1) {
      const scan = await readerOf(strict).scan(owner, long)
      expect(scan.balances.size).toBe(50)
    }
    expect(asked()).toEqual([200_000_000, ...Array.from({ length: 4 }, () => 50_000_000)])
    expect(strict.capabilities()[0]).toMatchObject({ fallback: 'override', gasCeiling: 50_000_000, gasSettled: true })
  })

  test('a node that grants less gas gets the list in parts', async () => {
    const capGas = (most: bigint): Fault => ({
      params: ([call, ...rest]) => {
        const { gas, ...others } = call as { gas: string }
        return [{ ...others, gas: `0x${(BigInt(gas) > most ? most : BigInt(gas)).toString(16)}` }, ...rest]
      },
    })
    proxy.add({ when: isCall, fault: capGas(12_000_000n) })
    const pool = createRpcPool({ chain: 'ethereum', urls: [proxy.url] })
    const scan = await readerOf(pool).scan(owner, tokens)
    expect(scan.balances.size).toBe(50)
    expect(scan.failed.size).toBe(100)
    expect(pool.capabilities()[0]?.gasCeiling).toBeLessThan(12_000_000)
  })
})

test('a list longer than an index can count is scanned whole', async () => {
  const empty = Array.from({ length: 40_000 }, (_, i) => testAddress(6, i + 1))
  const scan = await readerOf(createRpcPool({ chain: 'ethereum', urls: [proxy.url] })).scan(owner, [...empty, token])
  expect([...scan.balances]).toEqual([[token, 5n]])
  expect(scan.failed.size).toBe(0)
})

describe('faults', () => {
  const raw = (status: number, body: string, headers?: Record<string, string>): Fault => ({
    raw: { status, body, ...(headers && { headers }) },
  })
  const error = (code: number, message: string): Fault => ({ error: { code, message } })
  const secret = 'https://node.example/v3/s3cr3t-key'
  const faults: [string, Fault][] = [
    ['429', raw(429, 'Too many requests')],
    ['429 with Retry-After', raw(429, 'slow down', { 'retry-after': '7' })],
    ['401', raw(401, 'bad key')],
    ['500', raw(500, `<html>${secret}</html>`)],
    ['503 with a JSON body', raw(503, '{"message":"maintenance"}')],
    ['200 with HTML', raw(200, `<!doctype html><p>${secret}`)],
    ['200 with nothing', raw(200, '')],
    ['truncated JSON', raw(200, '{"jsonrpc":"2.0","id":1,"result":"0x00')],
    ['a JSON string', raw(200, '"ok"')],
    ['a list where one answer was asked', raw(200, '[]')],
    ['neither result nor error', { answer: ({ result: _, ...rest }) => rest }],
    ['the id of another request', { answer: (envelope) => ({ ...envelope, id: 999_999_999 }) }],
    ['no id', { answer: ({ id: _, ...rest }) => rest }],
    ['result null', { answer: (envelope) => ({ ...envelope, result: null }) }],
    ['a number for a result', { answer: (envelope) => ({ ...envelope, result: 0 }) }],
    ['odd hex', { answer: (envelope) => ({ ...envelope, result: '0x0' }) }],
    ['not hex', { answer: (envelope) => ({ ...envelope, result: '-0x01' }) }],
    ['an empty result', { answer: (envelope) => ({ ...envelope, result: '0x' }) }],
    ['zeros for a result', { answer: (envelope) => ({ ...envelope, result: `0x${'00'.repeat(200)}` }) }],
    ['half a result', { answer: (e) => ({ ...e, result: String(e['result']).slice(0, 200) }) }],
    ['a longer result', { answer: (e) => ({ ...e, result: `${String(e['result'])}00` }) }],
    ['rate limit as an error', error(-32005, `project ${secret} exceeded its rate limit`)],
    ['an internal error', error(-32603, `boom at ${secret}`)],
    ['an unknown block', error(-32000, 'header not found')],
    ['a stall', { socket: 'stall' }],
    ['a reset', { socket: 'reset' }],
    ['a reset in mid-body', { socket: 'cut' }],
  ]

  const poolFor = (fault: Fault, ...urls: string[]) =>
    createRpcPool({
      chain: 'ethereum',
      urls: [proxy.url, ...urls],
      limits: fault.socket === 'stall' ? SHORT : UNHURRIED,
    })

  test.each(faults)('%s: a failure, never a zero, and no word of the node', async (_, fault) => {
    proxy.add({ fault })
    const reader = readerOf(poolFor(fault))
    const outcomes = await Promise.allSettled([reader.scan(owner, [token]), balanceOf(reader), reader.header()])
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') throw new Error('a fault was taken for an answer')
      expect(outcome.reason).toMatchObject({ name: 'UpstreamError' })
      const shown = `${outcome.reason.stack} ${JSON.stringify(outcome.reason)} ${String(outcome.reason.cause)}`
      expect(shown).not.toMatch(/s3cr3t|127\.0\.0\.1|node\.example/)
    }
  })

  test.each(faults)('%s, once: the next endpoint answers', async (_, fault) => {
    proxy.add({ fault })
    const reader = readerOf(poolFor(fault, node.url))
    const [scan, balance] = await Promise.all([reader.scan(owner, [token]), balanceOf(reader, other)])
    expect([scan.nativeRaw, scan.balances.get(token), balance]).toEqual([9n, 5n, 6n])
  })

  test('a node without a listener', async () => {
    const gone = await startRpcProxy(node.url)
    await gone.stop()
    await expect(balanceOf(readerOf(poolOf(gone.url)))).rejects.toMatchObject({ reason: 'unavailable' })
    await expect(balanceOf(readerOf(poolOf('http://no-such-host.invalid/key')))).rejects.toMatchObject({
      reason: 'unavailable',
      message: expect.not.stringContaining('no-such-host'),
    })
    expect(await balanceOf(readerOf(poolOf(gone.url, proxy.url)))).toBe(5n)
  })
})

describe('one block', () => {
  let snapshot: string
  beforeEach(async () => {
    snapshot = await node.send<string>('evm_snapshot')
  })
  afterEach(() => node.send('evm_revert', snapshot))

  const setBalance = (raw: bigint) => node.send('anvil_setStorageAt', token, balanceSlot(owner), word(raw))

  test('later batches read the block of the first, whatever came after it', async () => {
    const reader = readerOf()
    expect(await balanceOf(reader)).toBe(5n)
    const { number } = await reader.header()
    // A set state belongs to the next block.
    await node.send('anvil_mine', '0x1')
    await node.send('anvil_setStorageAt', other, balanceSlot(owner), word(60))
    await node.send('anvil_mine', '0x1')
    expect(await balanceOf(reader, other)).toBe(6n)
    expect((await reader.header()).number).toBe(number)
    expect(await balanceOf(readerOf(), other)).toBe(60n)
  })

  test('a past block is read as it was', async () => {
    const now = BigInt(await node.send<string>('eth_blockNumber'))
    await node.send('anvil_mine', '0x1')
    await setBalance(50n)
    await node.send('anvil_mine', '0x1')
    const reader = readerOf(poolOf(proxy.url), { at: now })
    expect(await balanceOf(reader)).toBe(5n)
    expect((await reader.header()).number).toBe(now)
  })

  test('a block that no endpoint has yet is a failure', async () => {
    await expect(balanceOf(readerOf(poolOf(proxy.url), { at: 10_000_000n }))).rejects.toMatchObject({
      name: 'UpstreamError',
    })
  })

  test.each([1, 2, 7, 64])('a reorganisation of depth %i between two batches is seen', async (depth) => {
    await node.send('anvil_mine', '0x50')
    const reader = readerOf()
    expect(await balanceOf(reader)).toBe(5n)
    // With their own transaction: otherwise the new blocks would equal the old ones.
    await node.send('anvil_reorg', depth, [[paid, 0]])
    await expect(balanceOf(reader, other)).rejects.toMatchObject({
      name: 'UpstreamError',
      reason: 'invalid',
      message: expect.stringContaining('reorganised'),
    })
    expect(await balanceOf(readerOf(), other)).toBe(6n)
  })

  test.each([
    ['header', 'call', isCall],
    ['call', 'header', isHeader],
  ])('a reorganisation after the %s of the first batch and before its %s is read anew', async (_, __, isSecond) => {
    await node.send('anvil_mine', '0x5')
    proxy.add({
      when: isSecond,
      times: 1,
      fault: {
        before: async () => {
          const first = proxy.calls().find((call) => !isSecond(call))
          while (!first || proxy.bytesOf(first) === 0) await new Promise(setImmediate)
          await node.send('anvil_reorg', 3, [[paid, 0]])
        },
      },
    })
    const reader = readerOf(createRpcPool({ chain: 'ethereum', urls: [proxy.url] }))
    const scan = await reader.scan(owner, [token])
    const listed = await node.send<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
    expect((await reader.header()).hash).toBe(listed.hash)
    expect(scan.nativeRaw).toBe(BigInt(await node.send<string>('eth_getBalance', owner, 'latest')))
  })

  test('a chain whose opcode does not return parents can be read, and is not asked for them again', async () => {
    const parentHash = `0x${'ab'.repeat(32)}`
    const answer: Fault['answer'] = (envelope) => ({
      ...envelope,
      result: { ...(envelope['result'] as object), parentHash },
    })
    proxy.add({ when: isHeader, fault: { answer } })
    const pool = poolOf(proxy.url)
    const reader = readerOf(pool)
    expect(await balanceOf(reader)).toBe(5n)
    expect(await balanceOf(reader, other)).toBe(6n)
    expect((await reader.header()).parentHash).toBe(parentHash)
    const before = proxy.requests()
    await balanceOf(readerOf(pool))
    expect(proxy.requests() - before).toBe(1)
  })

  test('a chain that was set back below the block of the first batch is a failure', async () => {
    const inner = await node.send<string>('evm_snapshot')
    await node.send('anvil_mine', '0x3')
    const reader = readerOf()
    await balanceOf(reader)
    await node.send('evm_revert', inner)
    await expect(balanceOf(reader, other)).rejects.toMatchObject({ name: 'UpstreamError' })
  })

  test('parts of one batch that meet different blocks are asked again for one', async () => {
    const tokens = Array.from({ length: 9_000 }, (_, i) => testAddress(7, i + 1))
    let mined = 0
    proxy.add({
      when: isCall,
      times: 1,
      fault: {
        before: async () => {
          mined += 1
          await node.send('anvil_mine', '0x1')
          await setBalance(50n)
          await node.send('anvil_mine', '0x1')
        },
      },
    })
    const reader = readerOf(createRpcPool({ chain: 'ethereum', urls: [proxy.url] }))
    const [scan, balance] = await Promise.all([reader.scan(owner, [...tokens, token]), balanceOf(reader)])
    expect(mined).toBe(1)
    expect(scan.balances.get(token)).toBe(balance)
    const { number } = await reader.header()
    const at = await node.send<string>('eth_getStorageAt', token, balanceSlot(owner), `0x${number.toString(16)}`)
    expect(balance).toBe(BigInt(at))
  })

  test('an endpoint that lags far is skipped', async () => {
    await node.send('evm_increaseTime', 1_200)
    await node.send('anvil_mine', '0x1')
    const head = BigInt(await node.send<string>('eth_blockNumber'))
    const old = `0x${(head - 1n).toString(16)}`
    const lagging = await startRpcProxy(node.url)
    try {
      lagging.add({ fault: { params: (params) => params.map((param) => (param === 'latest' ? old : param)) } })
      const pool = poolOf(proxy.url, lagging.url)
      expect((await readerOf(pool).header()).number).toBe(head)
      proxy.add({ times: 1, fault: { raw: { status: 500, body: '' } } })
      const reader = readerOf(pool)
      expect(await balanceOf(reader)).toBe(5n)
      expect((await reader.header()).number).toBe(head)
      expect(lagging.requests()).toBeGreaterThan(0)
    } finally {
      await lagging.stop()
    }
  })

  test('two endpoints on different forks are never mixed', async () => {
    const fork = await startLocalNode()
    try {
      await placeContracts(fork, [{ address: other, code: 'token', balances: [[owner, 600n]] }])
      await fork.send('anvil_mine', '0x20')
      const reader = readerOf(poolOf(proxy.url, fork.url))
      expect(await balanceOf(reader)).toBe(5n)
      proxy.add({ fault: { raw: { status: 500, body: '' } } })
      await expect(balanceOf(reader, other)).rejects.toMatchObject({ reason: 'invalid' })
    } finally {
      await fork.stop()
    }
  })
})

test('Arbitrum reports its own block number', async () => {
  // Answers the number plus 1,000 to arbBlockNumber(), and the hash of the argument less 1,000 to
  // arbBlockHash(uint256).
  const arbSys = '0x60003560e01c63a3b1b31d146020576004356103e8900340600052602060 00f35b436103e80160005260206000f3'
  await node.send('anvil_setCode', '0x0000000000000000000000000000000000000064', arbSys.replace(' ', ''))
  const number = BigInt(await node.send<string>('eth_blockNumber'))
  proxy.add({
    when: isHeader,
    fault: {
      params: ([tag, full]) => [tag === 'latest' ? tag : `0x${(BigInt(String(tag)) - 1_000n).toString(16)}`, full],
      answer: (envelope) => {
        const block = envelope['result'] as { number: string }
        return { ...envelope, result: { ...block, number: `0x${(BigInt(block.number) + 1_000n).toString(16)}` } }
      },
    },
  })
  const reader = createEvmReader({ pool: poolOf(proxy.url), chain: { ...localChain, blockSource: 'arbsys' } })
  expect((await reader.header()).number).toBe(number + 1_000n)
})
