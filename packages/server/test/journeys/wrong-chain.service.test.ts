import type { Portfolio } from '@coffer/contract'
import { devnetConfig, startDevnet } from '@coffer/devnet'
import { startSolanaDevnet } from '@coffer/devnet/solana'
import { beforeEach, expect, inject, test, vi } from 'vitest'
import { HANGS_MS } from '../hangs.ts'
import { startService, type TestService, testClock } from '../harness.ts'
import { type LocalNode, nodeAt, startLocalNode } from '../local-node.ts'
import { WRONG_CHAINS } from '../refused-endpoints.ts'
import { type RpcProxy, startRpcProxy } from '../rpc-proxy.ts'
import { started, startedForTest } from '../started.ts'

/** Longer than an answer is fresh, and than the pause of an endpoint of another chain. */
const NOT_FRESH_MS = 61_000
/** Longer than twenty of Ethereum's blocks, shorter than a price feed's heartbeat. */
const TEN_MINUTES_MS = 600_000
/** `COFFER_LOCAL_CHAINS`: heads and first blocks are judged as those of real chains. */
const REAL = { COFFER_LOCAL_CHAINS: '' }

let proxy: RpcProxy
const clock = testClock()

const devnet = await started(startDevnet({ state: inject('devnetState') }))

beforeEach(async () => {
  proxy = await startedForTest(startRpcProxy(devnet.chains.ethereum.url))
  await mineNow(devnet.chains.ethereum.url)
})

async function start(ethereum: readonly string[], env: Record<string, string> = REAL): Promise<TestService> {
  return startedForTest(startService({ endpoints: { ethereum }, config: devnetConfig(), clock, env }))
}

/** A block of the current time, as on an active chain. */
const mineNow = async (url: string) => {
  const node = nodeAt(url)
  await node.send('evm_setNextBlockTimestamp', Math.floor(clock.now() / 1000))
  await node.send('evm_mine')
}

const headOf = async (url: string) => String(BigInt(await nodeAt(url).send<string>('eth_blockNumber')))

async function read(service: TestService): Promise<{ status: number; portfolio: Portfolio | undefined }> {
  const { status, json } = await service.get(`/v1/portfolio?addresses=${devnet.wallets.demo.address}&waitForSync=true`)
  return { status, portfolio: status === 200 ? (json() as Portfolio[])[0] : undefined }
}

/**
 * Reads until the background search has ended and the newest block is shown: later answers do not change on their own.
 */
async function readWhole(service: TestService): Promise<Portfolio> {
  return vi.waitFor(
    async () => {
      clock.advance(NOT_FRESH_MS)
      await mineNow(devnet.chains.ethereum.url)
      const { portfolio } = await read(service)
      expect(portfolio?.incomplete).toEqual([])
      expect(portfolio?.asOf['ethereum']?.block).toBe(await headOf(devnet.chains.ethereum.url))
      return portfolio as Portfolio
    },
    { timeout: HANGS_MS },
  )
}

/** The first endpoint fails: the answer is the last good one, marked, regardless of the other endpoint. */
async function expectLastGood(service: TestService, good: Portfolio): Promise<void> {
  proxy.add({ fault: { raw: { status: 500, body: '' } } })
  clock.advance(NOT_FRESH_MS)
  const kept = (await read(service)).portfolio
  expect(kept).toMatchObject({ networth: good?.networth, asOf: good?.asOf })
  expect(kept?.incomplete).toEqual([{ chain: 'ethereum', reason: 'stale' }])
}

const readiness = async ({ context }: TestService): Promise<unknown> => (await context.admin.inject('/readyz')).json()

async function metric({ context }: TestService, line: string): Promise<number> {
  const { payload } = await context.admin.inject('/metrics')
  const found = payload.split('\n').find((text) => text.startsWith(`${line} `))
  return Number(found?.split(' ')[1])
}

/** A node with Ethereum's chain ID on another chain: with its own first block, blocks and time. */
async function rogueNode(timestamp: number): Promise<LocalNode> {
  const node = await startedForTest(startLocalNode('--timestamp', String(timestamp)))
  await node.send('anvil_mine', '0x5dc')
  return node
}

/** Complete, with the same worth except for a minute's interest. */
function expectAlike(portfolio: Portfolio | undefined, good: Portfolio | undefined): void {
  expect(portfolio?.incomplete).toEqual([])
  expect(Number(portfolio?.networth) / Number(good?.networth)).toBeCloseTo(1, 6)
}

const now = () => Math.floor(Date.now() / 1000)

test('two chains with swapped URLs are not read, and the operator learns which', async () => {
  const { ethereum, base } = devnet.chains
  const endpoints = { ethereum: [base.url], base: [ethereum.url] }
  const service = await startedForTest(startService({ endpoints, config: devnetConfig(), clock }))
  const before = await service.client.getCredits()
  expect((await read(service)).status).toBe(502)
  expect(await service.client.getCredits()).toBe(before)
  expect(await readiness(service)).toEqual({
    status: 'ready',
    wrongEndpoints: [
      { endpoint: 'ethereum#1', problem: 'it shows chain id 8453, expected 1' },
      { endpoint: 'base#1', problem: 'it shows chain id 1, expected 8453' },
    ],
  })
  expect(await metric(service, 'coffer_endpoint_wrong_chain{chain="base",endpoint="base#1"}')).toBe(1)
})

test('a fall-back endpoint of another chain is not used, and known figures stay', async () => {
  const service = await start([proxy.url, devnet.chains.base.url])
  const good = await readWhole(service)
  await expectLastGood(service, good)
  expect(await metric(service, 'coffer_endpoint_wrong_chain{chain="ethereum",endpoint="ethereum#2"}')).toBe(1)
  proxy.reset()
  clock.advance(NOT_FRESH_MS)
  await mineNow(devnet.chains.ethereum.url)
  expectAlike((await read(service)).portfolio, good)
})

test('a chain of the same id with another first block is another chain', async () => {
  const rogue = await rogueNode(now() - 20_000)
  const service = await start([proxy.url, rogue.url])
  const good = await readWhole(service)
  await expectLastGood(service, good)
  expect(await readiness(service)).toMatchObject({ wrongEndpoints: [{ endpoint: 'ethereum#2' }] })
})

test('a fall-back whose clock is ahead is left while the first endpoint fails, and forgotten when it is back', async () => {
  const rogue = await rogueNode(now() + 10 * 365 * 86_400)
  // It does not keep its first block: only its time reveals it.
  const behindProxy = await startedForTest(startRpcProxy(rogue.url))
  behindProxy.add({
    when: ({ method, params }) => method === 'eth_getBlockByNumber' && params[0] === '0x0',
    fault: { answer: (envelope) => ({ ...envelope, result: null }) },
  })
  const service = await start([proxy.url, behindProxy.url])
  const good = await readWhole(service)
  await expectLastGood(service, good)
  expect(await readiness(service)).toEqual({ status: 'ready' })
  proxy.reset()
  clock.advance(NOT_FRESH_MS)
  await mineNow(devnet.chains.ethereum.url)
  const back = (await read(service)).portfolio
  expectAlike(back, good)
  expect(back?.asOf['ethereum']?.block).toBe(await headOf(devnet.chains.ethereum.url))
})

test('a chain whose newest block is ten minutes old is read and marked', async () => {
  const service = await start([proxy.url])
  await readWhole(service)
  clock.advance(TEN_MINUTES_MS)
  const old = (await read(service)).portfolio
  expect(old?.incomplete).toContainEqual({ chain: 'ethereum', reason: 'stale' })
  const age = await metric(service, 'coffer_chain_head_age_seconds{chain="ethereum"}')
  expect(age).toBeGreaterThanOrEqual(600)
  await readWhole(service)
})

type WrongChain = { chain: string; wrong: string; right: string; wallet: string; problem: RegExp; proof: RegExp }

const MAINNET_GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'
const OTHER_GENESIS = '4uhcVJyU9pJkvQyS88uRDiswHXSGkY3zQawwpjk2NsNY'

const onEthereum = {
  ...{ chain: 'ethereum', right: devnet.chains.ethereum.url, wallet: devnet.wallets.demo.address },
  proof: /^eth_(chainId|getBlockByNumber)$/,
}
/** A node of another chain, and one of the right chain. */
const wrongChains: Record<(typeof WRONG_CHAINS)[number], () => Promise<WrongChain>> = {
  'another chain id': async () => ({
    ...onEthereum,
    wrong: devnet.chains.base.url,
    problem: /^it shows chain id 8453, expected 1$/,
  }),
  'another first block under the same chain id': async () => ({
    ...onEthereum,
    wrong: (await rogueNode(now() - 20_000)).url,
    problem: /^its first block is 0x[0-9a-f]+, expected 0x/,
  }),
  'another genesis hash (Solana)': async () => {
    const right = await startedForTest(startSolanaDevnet())
    const wrong = await startedForTest(startSolanaDevnet({ genesisHash: OTHER_GENESIS }))
    const { address: wallet } = await right.keypair('wrong chain')
    await right.actions.sol.give(wallet as Parameters<typeof right.actions.sol.give>[0], 3_000_000_000n)
    return {
      ...{ chain: 'solana', wrong: wrong.url, right: right.url, wallet, proof: /^getGenesisHash$/ },
      problem: new RegExp(`^it shows genesis hash ${OTHER_GENESIS}, expected ${MAINNET_GENESIS}$`),
    }
  },
}

test.each(WRONG_CHAINS)('an endpoint of %s is asked for its proof alone, and named in readiness', async (name) => {
  const { chain, wrong, right, wallet, problem, proof } = await wrongChains[name]()
  const behindProxy = await startedForTest(startRpcProxy(wrong))
  const service = await startedForTest(
    startService({ endpoints: { [chain]: [right, behindProxy.url] }, clock, env: REAL }),
  )
  await service.context.proveEndpoints()
  const path = `/v1/portfolio?addresses=${wallet}&waitForSync=true`
  const [portfolio] = (await service.get(path)).json() as Portfolio[]
  expect(Object.keys(portfolio?.asOf ?? {})).toEqual([chain])
  const wrongEndpoints = [{ endpoint: `${chain}#2`, problem: expect.stringMatching(problem) }]
  expect(await readiness(service)).toEqual({ status: 'ready', wrongEndpoints })
  expect(behindProxy.calls().filter(({ method }) => !proof.test(method))).toEqual([])
  expect(behindProxy.requests()).toBeGreaterThan(0)
})

test('with an endpoint of another cluster alone Solana is not read', async () => {
  const { wrong, wallet } = await wrongChains['another genesis hash (Solana)']()
  const service = await startedForTest(startService({ endpoints: { solana: [wrong] }, clock, env: REAL }))
  const before = await service.client.getCredits()
  expect((await service.get(`/v1/portfolio?addresses=${wallet}`)).status).toBe(502)
  expect(await service.client.getCredits()).toBe(before)
})

test('an endpoint proves its chain with one request, once, and again after its breaker has opened', async () => {
  const service = await start([proxy.url])
  const proofs = () => proxy.calls().filter(({ method }) => method === 'eth_chainId').length
  await read(service)
  clock.advance(NOT_FRESH_MS)
  await read(service)
  expect(proofs()).toBe(1)
  let isIll = true
  proxy.add({ when: () => isIll, fault: { raw: { status: 500, body: '' } } })
  // Five failures within ten seconds open it. Each of these wallets is read again, regardless of another one's recent
  // failure.
  const untrustedContracts = Array.from({ length: 8 }, (_, i) => `0x${String(i + 1).repeat(40)}`)
  for (const outsider of untrustedContracts) await service.get(`/v1/portfolio?addresses=${outsider}`)
  isIll = false
  clock.advance(NOT_FRESH_MS)
  await read(service)
  expect(proofs()).toBeGreaterThan(1)
})
