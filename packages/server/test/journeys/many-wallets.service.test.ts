import type { Portfolio } from '@coffer/contract'
import { type Devnet, devnetConfig, startDevnet } from '@coffer/devnet'
import { type Address, encodeFunctionData, erc20Abi } from 'viem'
import { beforeEach, expect, inject, test } from 'vitest'
import { startService, type TestService, testClock } from '../harness.ts'
import { nodeAt } from '../local-node.ts'
import { seededRandom } from '../random.ts'
import { type RpcCall, type RpcProxy, startRpcProxy } from '../rpc-proxy.ts'
import { startedForTest } from '../started.ts'
import { readTruth } from './chain-truth.ts'
import { gapsOf, shownLines, trueLines } from './portfolio-lines.ts'
import { fillOnEthereum } from './random-states.ts'

// Wallets requested at the same time are read together. Each shows the chain at its block, as if read alone, regardless
// of the other wallets and of the chain.

/** Longer than an answer is fresh, and than an endpoint's pause. */
const NOT_FRESH_MS = 130_000
const TOGETHER = 6

const random = seededRandom('many wallets')
const clock = testClock()
let devnet: Devnet
let proxy: RpcProxy
let service: TestService
let wallets: Address[]

beforeEach(async () => {
  devnet = await startedForTest(startDevnet({ state: inject('devnetState') }))
  proxy = await startedForTest(startRpcProxy(devnet.chains.ethereum.url))
  service = await startedForTest(startService({ endpoints: { ethereum: [proxy.url] }, config: devnetConfig(), clock }))
  // The first read lists the protocols and finds the node's gas limit, so that later reads take the minimum of batches.
  await portfoliosOf([devnet.wallets.demo.address])
  wallets = Array.from({ length: TOGETHER }, () => random.address())
  for (const wallet of wallets) await fill(wallet)
  proxy.reset()
})

const fill = (wallet: Address) => fillOnEthereum(devnet.chains, wallet, random)

async function portfoliosOf(addresses: readonly Address[]): Promise<Portfolio[]> {
  const response = await service.get(`/v1/portfolio?addresses=${addresses}&waitForSync=true`)
  expect(response.status).toBe(200)
  return response.json() as Portfolio[]
}

/** Compares every wallet with the chain at the block of its answer. */
async function expectTrue(portfolios: readonly Portfolio[], addresses: readonly Address[]): Promise<void> {
  expect(portfolios.length).toBe(addresses.length)
  for (const [i, wallet] of addresses.entries()) {
    const portfolio = portfolios[i] as Portfolio
    const block = BigInt(portfolio.asOf['ethereum']?.block ?? 0)
    const truth = trueLines(await readTruth(devnet, 'ethereum', wallet, block))
    expect(truth.length).toBeGreaterThan(3)
    expect([gapsOf(portfolio), shownLines(portfolio, 'ethereum')]).toEqual([[], truth])
  }
}

const isRead = ({ method }: RpcCall) => method === 'eth_call'
const isLater = (call: RpcCall) => isRead(call) && call.params[1] !== 'latest'

test('wallets that are read together show what the chain says of each, at first and later', async () => {
  await expectTrue(await portfoliosOf(wallets), wallets)
  for (const wallet of wallets) await fill(wallet)
  await devnet.refreshFeeds()
  clock.advance(NOT_FRESH_MS)
  await expectTrue(await portfoliosOf(wallets), wallets)
})

test('a wallet that no node reads keeps what it had, and the others are read', async () => {
  const before = await portfoliosOf(wallets)
  await proxy.answered()
  for (const wallet of wallets) await fill(wallet)
  const [refused = '0x', ...others] = wallets
  const names = ({ params }: RpcCall) => JSON.stringify(params).includes(refused.slice(2).toLowerCase())
  proxy.add({ when: (call) => isRead(call) && names(call), fault: { error: { code: -32_000, message: 'aborted' } } })
  clock.advance(NOT_FRESH_MS)
  const [first, ...portfolios] = await portfoliosOf(wallets)
  expect(first && gapsOf(first)).toEqual([{ chain: 'ethereum', reason: 'stale' }])
  expect(first && shownLines(first, 'ethereum')).toEqual(before[0] && shownLines(before[0], 'ethereum'))
  await expectTrue(portfolios, others)
})

test('a reorganisation in the middle of a shared read is seen by every wallet of it', async () => {
  const { client, addresses, url } = devnet.chains.ethereum
  const moved = wallets.slice(0, 3).map((wallet) => {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [wallet, 7n] })
    const { address: from } = devnet.wallets.demo
    return [{ from, to: addresses.tokens.usdc, data, gas: '0x30d40', gasPrice: '0x0' }, 0]
  })
  await client.mine({ blocks: 20 })
  let replaced = 0
  const reorganise = async () => {
    replaced += 1
    await nodeAt(url).send('anvil_reorg', 7, moved)
  }
  proxy.add({ when: isLater, times: 1, fault: { before: reorganise } })
  // A node that is replacing its blocks may answer too late: then nothing is known, and the caller tries again.
  const path = `/v1/portfolio?addresses=${wallets}&waitForSync=true`
  for (let again = 0; again < 5 && (await service.get(path)).status === 502; again += 1) clock.advance(NOT_FRESH_MS)
  await expectTrue(await portfoliosOf(wallets), wallets)
  expect(replaced).toBe(1)
})
