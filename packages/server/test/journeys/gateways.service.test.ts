import { type Devnet, startDevnet } from '@coffer/devnet'
import { parseEther, parseUnits } from 'viem'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import type { EvmAddress } from '../../src/domain/evm-address.ts'
import {
  expiredHistory,
  gatewaysWithoutBatches,
  gatewaysWithoutLogs,
  limitedGateways,
  prunedGateways,
} from '../gateways.ts'
import { startService, type TestService } from '../harness.ts'
import { nodeAt } from '../local-node.ts'
import { seededRandom } from '../random.ts'
import { type RpcProxy, startRpcProxy } from '../rpc-proxy.ts'
import { syncTransactions } from '../sync.ts'

const TIMEOUT_MS = 120_000
const random = seededRandom('gateways')
const wallets = Array.from({ length: 14 }, () => random.address())

/** Coins in and out, tokens in and out, a transfer to itself: six transactions. */
const active = random.address()
const other = random.address()

let devnet: Devnet
let proxy: RpcProxy
let head: bigint
let running: TestService | undefined

beforeAll(async () => {
  devnet = await startDevnet({ state: inject('devnetState') })
  const { actions, addresses, url, client } = devnet.chains.ethereum
  proxy = await startRpcProxy(url)
  for (const [i, wallet] of wallets.entries()) {
    await actions.erc20.mint(addresses.tokens.usdc, wallet, parseUnits(String(i + 1), 6))
  }
  const { send } = devnet.chains.ethereum
  await actions.native.give(other, parseEther('20'))
  await send({ from: other, to: active, value: parseEther('10') })
  await actions.erc20.mint(addresses.tokens.usdc, active, parseUnits('100', 6))
  await actions.erc20.transfer(addresses.tokens.usdc, active, other, parseUnits('40', 6))
  await send({ from: active, to: other, value: parseEther('1') })
  await send({ from: active, to: active, value: 1n })
  await send({ from: other, to: active, value: parseEther('2') })
  await nodeAt(url).send('anvil_mine', '0x80')
  await devnet.refreshFeeds()
  head = await client.getBlockNumber()
}, TIMEOUT_MS)
afterEach(async () => {
  proxy.reset()
  expect(await running?.ledgerProblems()).toEqual([])
  await running?.stop()
})
afterAll(async () => {
  await proxy.stop()
  await devnet.stop()
})

async function serviceBehindProxy(): Promise<TestService> {
  running = await startService({ devnet, endpoints: { ethereum: [proxy.url], base: [devnet.chains.base.url] } })
  return running
}

async function networthOf(service: TestService, wallet: EvmAddress): Promise<[number, string]> {
  const { status, text } = await service.get(`/v1/portfolio?addresses=${wallet}&networks=ethereum`)
  const [portfolio] = status === 200 ? (JSON.parse(text) as [{ networth: string }]) : []
  return [status, portfolio?.networth ?? text]
}

test.each(gatewaysWithoutLogs)(
  '$name: 14 new wallets are answered, their histories are said to be missing',
  {
    timeout: TIMEOUT_MS,
  },
  async ({ rules }) => {
    proxy.add(...rules(head))
    const service = await serviceBehindProxy()
    for (const [i, wallet] of wallets.entries()) {
      expect(await networthOf(service, wallet)).toEqual([200, String(i + 1)])
    }
    const [wallet = ''] = wallets
    expect(await syncTransactions(service, wallet)).toBe('failed: ethereum#1 does not offer eth_getLogs')
    const { coverage } = await service.client.listTransactions({ query: { addresses: wallet } })
    expect(coverage.filter(({ chain }) => chain === 'ethereum')).toEqual([
      expect.objectContaining({ fromBlock: '0', complete: false, reason: 'not-offered' }),
    ])
    // Known after the first wallet, and not asked for again by each.
    expect(proxy.calls().filter(({ method }) => method === 'eth_getLogs').length).toBeLessThan(40)
  },
)

test('a node with expired history: what it keeps is found, what it dropped is said', {
  timeout: TIMEOUT_MS,
}, async () => {
  proxy.add(...expiredHistory.rules(head))
  const service = await serviceBehindProxy()
  for (const [i, wallet] of wallets.entries()) {
    expect(await networthOf(service, wallet)).toEqual([200, String(i + 1)])
  }
  const [wallet = ''] = wallets
  expect(await syncTransactions(service, wallet)).toBe('done')
  const first = head - 100n
  const { coverage } = await service.client.listTransactions({ query: { addresses: wallet } })
  const ofChain = coverage.filter(({ chain }) => chain === 'ethereum')
  expect(ofChain[0]).toMatchObject({ fromBlock: '0', toBlock: String(first - 1n), complete: false, reason: 'pruned' })
  expect(ofChain[1]).toMatchObject({ fromBlock: String(first), complete: true })
  expect(ofChain).toHaveLength(2)
})

const TRANSACTIONS = 6

async function syncedActive(service: TestService) {
  expect(await syncTransactions(service, active)).toBe('done')
  const { transactions, coverage } = await service.client.listTransactions({ query: { addresses: active } })
  const ofChain = coverage.filter(({ chain }) => chain === 'ethereum')
  return { transactions: transactions.length, complete: ofChain.map(({ complete }) => complete) }
}

test.each(limitedGateways)(
  '$name: a sync ends whole, and asks for no piece twice',
  { timeout: TIMEOUT_MS },
  async ({ rules }) => {
    const service = await serviceBehindProxy()
    proxy.add(...rules(head))
    expect(await syncedActive(service)).toEqual({ transactions: TRANSACTIONS, complete: [true] })
  },
)

test.each(gatewaysWithoutBatches(() => false).map(({ name }, i) => [name, i] as const))(
  '%s: a sync ends whole',
  { timeout: TIMEOUT_MS },
  async (_, i) => {
    const service = await serviceBehindProxy()
    proxy.add(...(gatewaysWithoutBatches(proxy.isBatch)[i]?.rules(head) ?? []))
    expect(await syncedActive(service)).toEqual({ transactions: TRANSACTIONS, complete: [true] })
  },
)

test.each(prunedGateways)(
  'states dropped, $name: what logs show is found, and the rest is said',
  {
    timeout: TIMEOUT_MS,
  },
  async ({ rules }) => {
    proxy.add(...rules(head))
    const service = await serviceBehindProxy()
    // The two transfers of tokens.
    expect(await syncedActive(service)).toEqual({ transactions: 2, complete: [false] })
  },
)
