import type { IncompleteItem } from '@coffer/contract'
import { devnetConfig, startDevnet } from '@coffer/devnet'
import type { Address } from 'viem'
import { beforeEach, expect, inject, it } from 'vitest'
import { findChain } from '../../src/chains/chain-catalog.ts'
import { chains } from '../../src/chains/chain-types.ts'
import { createEvmReader } from '../../src/chains/evm/reader/create-evm-reader.ts'
import { createRpcPool } from '../../src/chains/rpc/rpc-pool.ts'
import { evmAddress } from '../../src/domain/evm-address.ts'
import { startService, testClock } from '../harness.ts'
import { nodeAt } from '../local-node.ts'
import { readPortfolio } from '../portfolio-reads.ts'
import { seededRandom } from '../random.ts'
import { startReadProxy } from '../read-proxy.ts'
import { started } from '../started.ts'
import { type CodeName, placeContracts, testAddress } from '../test-tokens.ts'
import { gapsOf } from './portfolio-lines.ts'
import { moveOnEthereum } from './random-states.ts'

/** Longer than an answer is fresh. */
const NOT_FRESH_MS = 61_000
const LISTED = 5_000

const clock = testClock()
const random = seededRandom('round trips')
const wallet: Address = random.address()

/** One in a hundred listed tokens is held, one reverts and one burns all gas. */
const list = Array.from({ length: LISTED }, (_, i) => ({ address: testAddress(7, i + 1), ...roleOf(i) }))

function roleOf(i: number): { code: CodeName; isHeld: boolean } {
  const codes: Record<number, CodeName> = { 1: 'reverting', 2: 'burning' }
  return { code: codes[i % 100] ?? 'token', isHeld: i % 100 === 0 }
}

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const { ethereum } = devnet.chains
await placeContracts(
  nodeAt(ethereum.url),
  list.map(({ address, code, isHeld }) => ({
    address,
    code,
    balances: isHeld ? [[evmAddress(wallet), 10n ** 18n]] : [],
  })),
)
await moveOnEthereum(devnet.chains, wallet, random)
const proxy = await started(startReadProxy(ethereum.url))
const service = await started(startService({ endpoints: { ethereum: [proxy.url] }, config: configuration(), clock }))
// Lists the protocols' contracts and finds the node's limits, once for all wallets.
await service.client.getPortfolio({ query: { addresses: devnet.wallets.demo.address } })

beforeEach(() => proxy.countAnew())

function configuration() {
  const { tokens, protocols } = devnetConfig()
  const generated = list.map(({ address }, i) => ({
    chain: 'ethereum',
    address,
    symbol: `T${i}`,
    name: `Token ${i}`,
    decimals: 18,
  }))
  return { tokens: [...tokens, ...generated], protocols: protocols.filter(({ chain }) => chain === 'ethereum') }
}

type Read = { trips: number; requests: number; held: number; protocols: string[]; gaps: IncompleteItem[] }

async function read(): Promise<Read> {
  const portfolio = await readPortfolio(service, wallet)
  const [trips, requests] = [proxy.trips(), proxy.requests()]
  const assets = portfolio?.assetByProtocols['wallet']?.assets ?? []
  const listed = new Set(list.map(({ address }): string => address))
  const held = assets.filter(({ contract }) => listed.has(contract)).length
  expect(assets.some(({ priceSource }) => priceSource !== null)).toBe(true)
  const protocols = Object.keys(portfolio?.assetByProtocols ?? {})
  return { trips, requests, held, protocols, gaps: gapsOf(portfolio) ?? [] }
}

/** The balances of some listed tokens cannot be read. */
const UNREADABLE = [{ chain: 'ethereum', reason: 'unreadable' }]
const everything = [
  ...['wallet', 'aave_v2', 'aave_v3', 'compound_v2', 'lido', 'nova_vaults', 'pancakeswap_v3_farms'],
  ...['uniswap_liquidity_mining', 'uniswap_v2', 'uniswap_v3'],
]

it('reads an unknown wallet in two trips and at most three requests, prices included', async () => {
  const { trips, requests, ...found } = await read()
  console.info(`unknown wallet, ${LISTED} tokens listed: ${trips} trips, ${requests} requests`)
  expect(found).toEqual({ held: LISTED / 100, protocols: everything, gaps: UNREADABLE })
  expect(trips).toBeLessThanOrEqual(2)
  expect(requests).toBeLessThanOrEqual(3)
})

it('reads a known wallet in one trip and one request, whatever its amounts are by now', async () => {
  await devnet.chains.ethereum.travel(600)
  await devnet.refreshFeeds()
  const readNext = async () => {
    clock.advance(NOT_FRESH_MS)
    proxy.countAnew()
    return read()
  }
  const found = { held: LISTED / 100, protocols: everything, gaps: UNREADABLE }
  expect(await readNext()).toEqual({ ...found, trips: 1, requests: 1 })
})

it('reads a new wallet in one trip once others were read, whichever listed tokens it holds', async () => {
  const trips: number[] = []
  for (const i of [3, 4, 5, 6, 7]) {
    const owner = random.address()
    const [token] = [list[i]?.address ?? owner]
    await placeContracts(nodeAt(devnet.chains.ethereum.url), [
      { address: token, code: 'token', balances: [[evmAddress(owner), 10n ** 18n]] },
    ])
    proxy.countAnew()
    const portfolio = await readPortfolio(service, owner)
    expect(portfolio?.assetByProtocols['wallet']?.assets.map(({ contract }) => contract)).toEqual([token])
    trips.push(proxy.trips())
  }
  expect(Math.max(...trips)).toBeLessThanOrEqual(2)
  expect(trips.at(-1)).toBe(1)
})

it('foresees the collateral and rewards that positions show beside what was supplied', async () => {
  const { address } = devnet.wallets.farmer
  const portfolio = await readPortfolio(service, address)
  const market = portfolio?.assetByProtocols['compound_v3']
  const priced = market?.assets.map(({ symbol, priceSource }) => [symbol.toLowerCase(), priceSource])
  expect(priced).toContainEqual(['comp', 'chainlink'])
  expect(proxy.trips()).toBeLessThanOrEqual(2)
})

it('answers the scan of the whole list in less than 5 kB', async () => {
  const chain = findChain('ethereum', chains)
  if (!chain) throw new Error('the catalog has no chain ethereum')
  const reader = createEvmReader({ pool: createRpcPool({ chain: 'ethereum', urls: [proxy.url] }), chain })
  const scan = await reader.scan(
    evmAddress(wallet),
    list.map(({ address }) => address),
  )
  const bytes = Math.max(...proxy.calls().map((call) => (call.method === 'eth_call' ? proxy.bytesOf(call) : 0)))
  console.info(`scan of ${LISTED} tokens: ${bytes} bytes in answer`)
  expect(scan.balances.size).toBe(LISTED / 100)
  expect(scan.failed.size).toBe(LISTED / 50)
  expect(bytes).toBeLessThan(5_000)
})

it('lists protocols before anyone asks, so that the first read of a new service takes fewer trips', async () => {
  const { ethereum } = devnet.chains
  const trips: number[] = []
  for (const isListed of [false, true]) {
    const fresh = await startService({ endpoints: { ethereum: [proxy.url] }, config: devnetConfig(), clock })
    if (isListed) await fresh.context.listAhead()
    proxy.countAnew()
    const query = { addresses: devnet.wallets.whale.address, waitForSync: true }
    const [portfolio] = await fresh.client.getPortfolio({ query })
    expect(portfolio?.asOf['ethereum']?.block).toBe(String(await ethereum.client.getBlockNumber()))
    trips.push(proxy.trips())
    await fresh.stop()
  }
  expect(trips[1]).toBeLessThan(trips[0] ?? 0)
})
