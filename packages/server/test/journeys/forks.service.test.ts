import type { Portfolio } from '@coffer/contract'
import { type Devnet, devnetConfig, startDevnet } from '@coffer/devnet'
import { type Address, encodeFunctionData, erc20Abi } from 'viem'
import { describe, expect, inject, it } from 'vitest'
import { startService, testClock } from '../harness.ts'
import { nodeAt } from '../local-node.ts'
import { readPortfolio } from '../portfolio-reads.ts'
import { seededRandom } from '../random.ts'
import { type RpcCall, type RpcProxy, startRpcProxy } from '../rpc-proxy.ts'
import { sized } from '../sized.ts'
import { startedForTest } from '../started.ts'
import { readTruth } from './chain-truth.ts'
import { gapsOf, shownLines, trueLines } from './portfolio-lines.ts'
import { fillOnEthereum } from './random-states.ts'

const NOT_FRESH_MS = 61_000
/** Longer than any pause of an endpoint, and than its head limits another's. */
const LATER_MS = 130_000

const random = seededRandom('forks')

const chainOf = () => startedForTest(startDevnet({ state: inject('devnetState') }))
const proxyOf = ({ chains }: Devnet) => startedForTest(startRpcProxy(chains.ethereum.url))

/** The service over these endpoints, with its own clock and the protocols' contracts already listed. */
async function serviceOver(proxies: readonly RpcProxy[], first: Address) {
  const clock = testClock()
  const ethereum = proxies.map(({ url }) => url)
  const service = await startedForTest(startService({ endpoints: { ethereum }, config: devnetConfig(), clock }))
  // Without finds in logs: background reads would shift the reads that a test orders.
  for (const proxy of proxies) findNothing(proxy)
  await readPortfolio(service, first)
  return { service, clock }
}

/** Refuses log searches during a read, and nothing else. */
function findNothing(proxy: RpcProxy): void {
  proxy.reset()
  const answer = (envelope: Record<string, unknown>) => ({ ...envelope, result: [] })
  const isSearch = ({ method }: RpcCall) => method === 'eth_getLogs'
  const isRecent = (call: RpcCall) => isSearch(call) && JSON.stringify(call.params).includes('latest')
  proxy.add(
    { when: isRecent, fault: { error: { code: -32_601, message: 'method not found' } } },
    { when: isSearch, fault: { answer } },
  )
}

const blockOf = (portfolio: Portfolio) => BigInt(portfolio.asOf['ethereum']?.block ?? 0)

async function truthAt(devnet: Devnet, wallet: Address, block: bigint): Promise<string[]> {
  return trueLines(await readTruth(devnet, 'ethereum', wallet, block))
}

const fill = ({ chains }: Devnet, wallet: Address) => fillOnEthereum(chains, wallet, random)

const isLater = ({ method, params }: RpcCall) => method === 'eth_call' && params[1] !== 'latest'

it('never mixes two providers that disagree, whichever of them fails when', async () => {
  const [one, other] = [await chainOf(), await chainOf()]
  const [flaky, steady] = [await proxyOf(one), await proxyOf(other)]
  const { service, clock } = await serviceOver([flaky, steady], one.wallets.demo.address)
  const seen = { one: 0, other: 0, stale: 0 }
  const rounds = sized({ small: 4, deep: 300 })
  for (let round = 0; round < rounds; round += 1) {
    const wallet = round % 3 === 0 ? random.address() : one.wallets.whale.address
    if (round % 3 !== 0) await readPortfolio(service, wallet)
    await fill(one, wallet)
    await fill(other, wallet)
    for (const proxy of [flaky, steady]) findNothing(proxy)
    flaky.add({ when: () => random.index(4) === 0, fault: { raw: { status: 500, body: '' } } })
    clock.advance(LATER_MS)
    const portfolio = await readPortfolio(service, wallet)
    const lines = shownLines(portfolio, 'ethereum')
    const block = blockOf(portfolio)
    const truths = [await truthAt(one, wallet, block), await truthAt(other, wallet, block).catch(() => 'no such block')]
    if (gapsOf(portfolio)?.length !== 0) {
      seen.stale += 1
      continue
    }
    expect(lines).not.toEqual([])
    expect(truths).toContainEqual(lines)
    if (String(lines) === String(truths[0])) seen.one += 1
    else seen.other += 1
  }
  console.info(`of two forks: ${JSON.stringify(seen)}`)
  expect(seen.one + seen.other + seen.stale).toBe(rounds)
})

it('keeps what it read when only an endpoint that lags is left', async () => {
  const devnet = await chainOf()
  const [good, lagging] = [await proxyOf(devnet), await proxyOf(devnet)]
  const wallet = random.address()
  await fill(devnet, wallet)
  const { service, clock } = await serviceOver([good, lagging], devnet.wallets.demo.address)
  const { client, travel } = { ...devnet.chains.ethereum }
  const behind = await client.getBlockNumber()
  for (let step = 0; step < 30; step += 1) await travel(12)
  await fill(devnet, wallet)
  clock.advance(NOT_FRESH_MS)
  const before = await readPortfolio(service, wallet)
  expect(shownLines(before, 'ethereum')).toEqual(await truthAt(devnet, wallet, blockOf(before)))

  good.add({ fault: { raw: { status: 500, body: '' } } })
  const old = `0x${behind.toString(16)}`
  lagging.add({ fault: { params: (params) => params.map((param) => (param === 'latest' ? old : param)) } })
  for (const later of [NOT_FRESH_MS, LATER_MS]) {
    clock.advance(later)
    const after = await readPortfolio(service, wallet)
    expect(blockOf(after)).toBe(blockOf(before))
    expect(shownLines(after, 'ethereum')).toEqual(shownLines(before, 'ethereum'))
  }
  // This wallet was never read: the old block is better than nothing, and the answer names it.
  const outsider = devnet.wallets.whale.address
  clock.advance(LATER_MS)
  const first = await readPortfolio(service, outsider)
  expect(blockOf(first)).toBe(behind)
  expect(shownLines(first, 'ethereum')).toEqual(await truthAt(devnet, outsider, behind))
})

describe('a reorganisation between the batches of a read', () => {
  const drawn = Array.from({ length: 40 }, () => 1 + random.index(64))
  const depths = sized({ small: [64], deep: [1, 7, 64, ...drawn] })

  it.each(depths)('of depth %i is never half seen', async (depth) => {
    const devnet = await chainOf()
    const proxy = await proxyOf(devnet)
    const { ethereum } = devnet.chains
    const wallet = random.address()
    await fill(devnet, wallet)
    const { service, clock } = await serviceOver([proxy], devnet.wallets.demo.address)
    for (let mined = 0; mined < 66; mined += 1) await ethereum.client.mine({ blocks: 1 })
    await fill(devnet, wallet)
    const head = await ethereum.client.getBlockNumber()
    const oldFork = await truthAt(devnet, wallet, head)
    const usdc = ethereum.addresses.tokens.usdc
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [wallet, 7n] })
    const moved = { from: devnet.wallets.demo.address, to: usdc, data, gas: '0x30d40', gasPrice: '0x0' }
    const reorganise = async () => {
      await nodeAt(ethereum.url).send('anvil_reorg', depth, [[moved, 0]])
    }
    proxy.add({ when: isLater, times: 1, fault: { before: reorganise } })
    clock.advance(NOT_FRESH_MS)
    // A node that is replacing its blocks may answer too late. Then nothing is known, which the answer reports and
    // refunds.
    const path = `/v1/portfolio?addresses=${wallet}&waitForSync=true`
    for (let again = 0; again < 5 && (await service.get(path)).status === 502; again += 1) clock.advance(LATER_MS)
    const portfolio = await readPortfolio(service, wallet)
    const newFork = await truthAt(devnet, wallet, blockOf(portfolio))
    expect(newFork).not.toEqual(oldFork)
    expect([oldFork, newFork]).toContainEqual(shownLines(portfolio, 'ethereum'))
    expect(gapsOf(portfolio)).toEqual([])

    clock.advance(LATER_MS)
    await ethereum.client.mine({ blocks: depth })
    const settled = await readPortfolio(service, wallet)
    expect(shownLines(settled, 'ethereum')).toEqual(await truthAt(devnet, wallet, blockOf(settled)))
  })
})
