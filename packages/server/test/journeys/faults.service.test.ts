import type { Portfolio } from '@coffer/contract'
import { devnetConfig, startDevnet } from '@coffer/devnet'
import { type Address, parseUnits } from 'viem'
import { afterEach, describe, expect, inject, it, vi } from 'vitest'
import { HANGS_MS } from '../hangs.ts'
import { startService, type TestService, testClock } from '../harness.ts'
import { seededRandom } from '../random.ts'
import { type Fault, type RpcCall, type Rule, raw, refusal, result, startRpcProxy } from '../rpc-proxy.ts'
import { deepTest, sized } from '../sized.ts'
import { started } from '../started.ts'
import { steppedTimer } from '../stepped-timer.ts'
import { readTruth } from './chain-truth.ts'
import { gapsOf, shownLines, trueLines } from './portfolio-lines.ts'

/** Longer than an answer is fresh. */
const NOT_FRESH_MS = 61_000
/** Longer than any pause of an endpoint or of a refused way of reading. */
const LATER_MS = 31 * 60_000
/** Part of every endpoint's URL. Only the endpoint may ever see it. */
const SECRET = 'k3y-0f-th3-n0d3'

const random = seededRandom('faults')
const clock = testClock()
const config = devnetConfig()

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const proxy = await started(startRpcProxy(devnet.chains.ethereum.url))
const timer = steppedTimer(proxy, clock.advance)
const service = await started(
  startService({ config, endpoints: { ethereum: [`${proxy.url}/v2/${SECRET}`] }, clock, timer }),
)
/** Lines of the demonstration wallet's last whole read. */
let lastGood = await untilWhole(devnet.wallets.demo.address)

afterEach(async () => {
  proxy.reset()
  clock.advance(NOT_FRESH_MS)
  expect(await service.ledgerProblems()).toEqual([])
})

type Answer = { status: number; portfolio: Portfolio | undefined; charged: number }

/**
 * Requests a new read and checks invariants of every answer: the status fits the body and the charge, nothing leaks.
 */
async function read(wallet: Address, from: TestService = service): Promise<Answer> {
  const before = await from.client.getCredits()
  const { status, text, json } = await from.get(`/v1/portfolio?addresses=${wallet}&waitForSync=true`)
  const after = await from.client.getCredits()
  const charged = before - after
  for (const secret of [SECRET, '127.0.0.1', 'eth_call', 'select ', '.ts:']) expect(text).not.toContain(secret)
  if (status !== 200) {
    expect(status).toBe(502)
    expect(json()).toEqual({ error: 'Bad Gateway', message: expect.any(String) })
    expect(charged).toBe(0)
    return { status, portfolio: undefined, charged }
  }
  expect(charged).toBe(1)
  const [portfolio] = json() as Portfolio[]
  return { status, portfolio, charged }
}

/** The answer equals the chain at its own block, at any block. */
async function expectTrue(portfolio: Portfolio | undefined, wallet: Address): Promise<void> {
  if (!portfolio) throw new Error('no portfolio in the answer')
  const truth = await readTruth(devnet, 'ethereum', wallet, BigInt(portfolio.asOf['ethereum']?.block ?? 0))
  expect(shownLines(portfolio, 'ethereum')).toEqual(trueLines(truth))
}

/** Reads until tokens found only by logs are there: no background work is left then. */
async function untilWhole(wallet: Address): Promise<string[]> {
  const { orphan } = devnet.chains.ethereum.addresses.tokens
  let lines: string[] = []
  const find = async () => {
    clock.advance(LATER_MS)
    const { portfolio } = await read(wallet)
    lines = portfolio ? shownLines(portfolio, 'ethereum') : []
    expect(lines.some((line) => line.includes(orphan.toLowerCase()))).toBe(true)
  }
  await vi.waitFor(find, { timeout: HANGS_MS })
  return lines
}

/** Reads after a fault. All figures are true at once. A refused search may be reported until the next one has ended. */
async function readWhole(wallet: Address): Promise<void> {
  const search = { chain: 'ethereum', reason: 'not-allowed' }
  const whole = async () => {
    clock.advance(NOT_FRESH_MS)
    const { portfolio } = await read(wallet)
    await expectTrue(portfolio, wallet)
    const gaps = gapsOf(portfolio)
    expect([[], [search]]).toContainEqual(gaps)
    lastGood = portfolio ? shownLines(portfolio, 'ethereum') : []
    return gaps?.length === 0
  }
  if (!(await whole())) await vi.waitUntil(whole, { timeout: HANGS_MS })
}

/** Reads a new wallet after a fault. Its first read may still be running with the earlier failure. */
async function readHealed(wallet: Address): Promise<void> {
  let healed: Portfolio | undefined
  const isWhole = async () => {
    clock.advance(NOT_FRESH_MS)
    healed = (await read(wallet)).portfolio
    return gapsOf(healed)?.length === 0
  }
  await vi.waitUntil(isWhole, { timeout: HANGS_MS })
  await expectTrue(healed, wallet)
}

/** The token or position of a line. */
const subjectOf = (line: string) => line.split(/[=[]/)[0]

/**
 * An incomplete answer shows for everything the last good figure or the one of its block, and nothing is missing. A
 * complete answer shows the truth of its block.
 */
async function expectHonest(portfolio: Portfolio | undefined): Promise<void> {
  const wallet = devnet.wallets.demo.address
  if (gapsOf(portfolio)?.length === 0) return expectTrue(portfolio, wallet)
  const shown = portfolio ? shownLines(portfolio, 'ethereum') : []
  const truth = await readTruth(devnet, 'ethereum', wallet, BigInt(portfolio?.asOf['ethereum']?.block ?? 0))
  const good = new Set([...lastGood, ...trueLines(truth)])
  expect(shown.filter((line) => !good.has(line))).toEqual([])
  expect(shown.map(subjectOf)).toEqual(lastGood.map(subjectOf))
}

/** For a wallet's first read: the whole truth, or parts of it with a report of what is missing. */
async function expectNoneWrong(portfolio: Portfolio, wallet: Address): Promise<void> {
  if (gapsOf(portfolio)?.length === 0) return expectTrue(portfolio, wallet)
  const truth = await readTruth(devnet, 'ethereum', wallet, BigInt(portfolio.asOf['ethereum']?.block ?? 0))
  const good = new Set(trueLines(truth))
  expect(shownLines(portfolio, 'ethereum').filter((line) => !good.has(line))).toEqual([])
}

/** A wallet with balances that was never requested. */
async function newWallet(): Promise<Address> {
  const wallet = random.address()
  const { actions, addresses } = devnet.chains.ethereum
  const deposit = random.amount(parseUnits('10', 6), parseUnits('1000', 6))
  await actions.native.setBalance(wallet, random.amount(1n, 10n ** 18n))
  await actions.erc20.mint(addresses.tokens.usdc, wallet, 2n * deposit)
  await actions.aaveV3.supply(wallet, addresses.tokens.usdc, deposit)
  return wallet
}

const isCall = ({ method }: RpcCall) => method === 'eth_call'
const isBlock = ({ method }: RpcCall) => method === 'eth_getBlockByNumber'
/** A read at a known block: everything after the scan. */
const isLater = ({ method, params }: RpcCall) => method === 'eth_call' && params[1] !== 'latest'

type Case = [name: string, rule: Rule]

const always: Case[] = [
  ['429', { fault: raw(429, 'slow down') }],
  ['429 with Retry-After', { fault: raw(429, '', { 'retry-after': '7' }) }],
  ['500', { fault: raw(500, `{"error":"${SECRET}"}`) }],
  ['503 with a page', { fault: raw(503, '<html>busy</html>') }],
  ['200 with a page', { fault: raw(200, '<html>please log in</html>') }],
  ['200 with nothing', { fault: raw(200, '') }],
  ['cut JSON', { fault: raw(200, '{"jsonrpc":"2.0","id":1,"resu') }],
  ['a redirect', { fault: raw(302, '', { location: 'http://127.0.0.1:9/' }) }],
  ['another id', { fault: { answer: (envelope) => ({ ...envelope, id: 987_654_321 }) } }],
  ['no id', { fault: { answer: ({ result: value }) => ({ jsonrpc: '2.0', result: value }) } }],
  ['a list for an answer', { fault: { answer: (envelope) => [envelope] } }],
  ['result null', { fault: result(null) }],
  ['result missing', { fault: { answer: ({ id }) => ({ jsonrpc: '2.0', id }) } }],
  ['result a number', { fault: result(5) }],
  ['negative hex', { fault: result('-0x1') }],
  ['hex that is none', { fault: result('0xzz') }],
  ['connection reset', { fault: { socket: 'reset' } }],
  ['reset in the middle of the body', { fault: { socket: 'cut' } }],
  ['-32005 limit exceeded', { fault: refusal(-32005, 'limit exceeded') }],
  ['-32000 header not found', { fault: refusal(-32000, 'header not found') }],
  ['-32603 internal error', { fault: refusal(-32603, `Internal error at https://node/${SECRET}`) }],
  ['-32601 method not found', { fault: refusal(-32601, 'the method does not exist') }],
  ['-32600 unauthorised', { fault: refusal(-32600, `Must be authenticated! key ${SECRET}`) }],
  ['-32016 over rate limit', { fault: refusal(-32016, 'over rate limit') }],
]

/** Only some requests fail, or have well-formed but wrong answers. */
const inPart: Case[] = [
  ['calls fail', { when: isCall, fault: raw(500, '') }],
  ['calls answer nothing', { when: isCall, fault: result('0x') }],
  ['calls answer zero', { when: isCall, fault: result(`0x${'0'.repeat(64)}`) }],
  ['calls answer a wide zero', { when: isCall, fault: result(`0x${'0'.repeat(4096)}`) }],
  ['calls answer ones', { when: isCall, fault: result(`0x${'f'.repeat(4096)}`) }],
  ['reads after the scan fail', { when: isLater, fault: raw(500, '') }],
  ['reads after the scan answer null', { when: isLater, fault: result(null) }],
  ['the block of the scan is not known later', { when: isLater, fault: refusal(-32000, 'header not found') }],
  ['blocks fail', { when: isBlock, fault: raw(500, '') }],
  ['blocks are not known', { when: isBlock, fault: result(null) }],
  ['blocks have another hash', { when: isBlock, fault: anotherBlock('hash') }],
  ['blocks have another parent', { when: isBlock, fault: anotherBlock('parentHash') }],
  ['blocks have another time', { when: isBlock, fault: anotherBlock('timestamp', '0x5') }],
]

/** A block with one false field, different each time. */
function anotherBlock(field: string, value?: string): Fault {
  return {
    answer(envelope) {
      const other = value ?? `0x${random.amount(2n ** 255n, 2n ** 256n - 1n).toString(16)}`
      return { ...envelope, result: { ...(envelope['result'] as object), [field]: other } }
    },
  }
}

/** Above the endpoint all faults look alike: a failure, or a wrong figure. */
const EVERY = sized({ small: 3, deep: 1 })

describe.each([...always, ...inPart].filter((_, i) => i % EVERY === 0))('%s', (_, rule) => {
  it('keeps what is known, gives back what cannot be answered, and recovers', async () => {
    const { demo } = devnet.wallets
    const unknown = await newWallet()
    proxy.add(rule)
    const known = await read(demo.address)
    const first = await read(unknown)
    expect(known.status).toBe(200)
    await expectHonest(known.portfolio)
    // Without a last good figure: the truth, or nothing at all.
    if (first.portfolio) await expectNoneWrong(first.portfolio, unknown)

    proxy.reset()
    // A failure after the clock has moved would count as a later one.
    await proxy.answered()
    clock.advance(LATER_MS)
    await readHealed(unknown)
    await readWhole(demo.address)
  })
})

// In `npm test`, `evm-reader.chain.test.ts` checks the reader.
deepTest('does not wait for a node that never answers', async () => {
  const { demo } = devnet.wallets
  const unknown = await newWallet()
  proxy.add({ when: ({ method }) => method !== 'eth_getLogs', fault: { socket: 'stall' } })
  const [known, first] = await Promise.all([
    service.get(`/v1/portfolio?addresses=${demo.address}&waitForSync=true`),
    service.get(`/v1/portfolio?addresses=${unknown}`),
  ])
  expect(first.status).toBe(502)
  expect(known.status).toBe(200)
  await expectHonest((known.json() as Portfolio[])[0])
})

describe('an endpoint that cannot be reached', () => {
  it.each([
    ['speaks no TLS', () => proxy.url.replace('http:', 'https:')],
    ['has no address', () => 'http://no-such-node.invalid'],
    ['refuses connections', () => 'http://127.0.0.1:1'],
  ])('because it %s is passed over, and alone gives the call back', async (_, urlOf) => {
    const url = `${urlOf()}/${SECRET}`
    const wallet = devnet.wallets.demo.address
    const alone = await startService({ config, endpoints: { ethereum: [url] } })
    expect((await read(wallet, alone)).status).toBe(502)
    await alone.stop()

    const withOther = await startService({ config, endpoints: { ethereum: [url, proxy.url] } })
    const { portfolio } = await read(wallet, withOther)
    await withOther.stop()
    expect(gapsOf(portfolio)).toEqual([])
    await expectTrue(portfolio, wallet)
  })
})

it('finds every token once in logs that come twice and in no order', async () => {
  const answer = (envelope: Record<string, unknown>) => {
    const logs = envelope['result'] as unknown[]
    return { ...envelope, result: [...logs.toReversed(), ...logs] }
  }
  const shuffling = await startRpcProxy(devnet.chains.ethereum.url)
  shuffling.add({ when: ({ method }) => method === 'eth_getLogs', fault: { answer } })
  const other = await startService({ config, endpoints: { ethereum: [shuffling.url] }, clock })
  const wallet = devnet.wallets.demo.address
  await vi.waitFor(
    async () => {
      clock.advance(NOT_FRESH_MS)
      const { portfolio } = await read(wallet, other)
      await expectTrue(portfolio, wallet)
    },
    { timeout: HANGS_MS },
  )
  await other.stop()
  await shuffling.stop()
})
