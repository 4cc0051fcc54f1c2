import { addresses, startDevnet } from '@coffer/devnet'
import { parseAbi } from 'viem'
import { expect, inject, test } from 'vitest'
import { contractOf } from '../../../../test/contract-of.ts'
import { proxyBefore } from '../../../../test/node-behind-proxy.ts'
import { started } from '../../../../test/started.ts'
import { fromRaw } from '../../../domain/decimal.ts'
import { evmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { Token } from '../../../domain/token.ts'
import type { Logger } from '../../../lib/logger.ts'
import { createPriceGraph } from '../../../prices/price-graph.ts'
import { createOverridePrices } from '../../../prices/sources/override-prices.ts'
import type { Chain } from '../../chain.ts'
import { chains } from '../../chain-types.ts'
import { createRpcPool } from '../../rpc/rpc-pool.ts'
import { PUBLISHED_FEEDS } from '../prices/chainlink-feed.ts'
import { createChainlinkPrices } from '../prices/chainlink-prices.ts'
import type { KnownDeployment, ProtocolDeployment } from '../protocols/adapter.ts'
import { createEvmReader } from '../reader/create-evm-reader.ts'
import type { EvmContext } from './evm-context.ts'
import { createPricesAt } from './prices-at.ts'
import type { ProtocolContracts } from './protocol-contracts.ts'

const { feeds, tokens: at } = addresses.ethereum
const ethereum = chains.find(({ key }) => key === 'ethereum') as Chain
const uni = evmAddress(at.uni)
const feedAbi = parseAbi(['function latestAnswer() view returns (int256)'])

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const chain = devnet.chains.ethereum
const proxy = await proxyBefore(chain)
/** 40 blocks, oldest first; the feed changes with three of them. */
const blocks: { block: bigint; time: number; usd: string }[] = []
for (let i = 0; i < 40; i += 1) {
  if (i === 0 || i === 11 || i === 30) await chain.actions.feeds.set(feeds.ethUsd, 300_000_000_000n + BigInt(i))
  await chain.travel(7)
  const { number, timestamp } = await chain.client.getBlock()
  const answer = await contractOf(chain, feeds.ethUsd, feedAbi).read('latestAnswer')
  blocks.push({ block: number, time: Number(timestamp), usd: fromRaw(answer, 8).toFixed() })
}

function priced(rows: readonly KnownDeployment[] = []) {
  const pool = createRpcPool({ chain: 'ethereum', urls: [proxy.url] })
  const logged: object[] = []
  const log = { info: (fields: object) => logged.push(fields), warn: (fields: object) => logged.push(fields) }
  const clock = { time: 0, now: () => clock.time }
  const find = (address: string): Token => ({
    ...{ chain: 'ethereum', address: evmAddress(address), symbol: '', name: '', decimals: 18, listed: true },
  })
  const overrides = createOverridePrices([{ chain: 'ethereum', token: uni, usd: '2.5' }], evmAddress)
  const context: Partial<EvmContext> = {
    chains: new Map([['ethereum', ethereum]]),
    openReader: (_chain, plan = [], at = 0n) => createEvmReader({ pool, chain: ethereum, plan, at }),
    tokens: { of: async () => ({ find, load: async () => undefined, learn: async () => undefined }) as never },
    protocolContracts: { allRowsOf: async () => [...rows] } as Partial<ProtocolContracts> as ProtocolContracts,
    prices: createPriceGraph({ sources: ['receipt', overrides, createChainlinkPrices(PUBLISHED_FEEDS)], log }),
    datedPrices: createPriceGraph({ sources: [overrides], log }),
    ...{ clock, log: log as unknown as Logger },
  }
  const pricesAt = createPricesAt(context as EvmContext)
  const usd = async (asked: readonly { block: bigint; time: number }[], tokens = [NATIVE]) => {
    const amounts = new Map(tokens.map((token) => [token, 1n]))
    const found = await pricesAt('ethereum')(asked.map(({ block, time }) => ({ block, time, amounts })))
    return found.map((prices) => tokens.map((token) => prices.get(token)?.usd.toFixed()))
  }
  return { usd, logged, clock }
}

test('every block has what its feed said then, and what did not change in between is not read again', async () => {
  const { usd } = priced()
  expect(await usd(blocks)).toEqual(blocks.map((block) => [block.usd]))
  expect(new Set(blocks.map((block) => block.usd)).size).toBe(3)
  expect(proxy.requests()).toBeLessThan(8)
  // The same one by one, without knowledge of a later block.
  const { usd: each } = priced()
  const alone = await Promise.all(blocks.map(async (block) => (await each([block]))[0]))
  expect(alone).toEqual(blocks.map((block) => [block.usd]))
})

test('a price that the operator fixed is not read for at all', async () => {
  const { usd } = priced()
  expect(await usd(blocks, [uni])).toEqual(blocks.map(() => ['2.5']))
  expect(proxy.requests()).toBeLessThan(2)
})

test('a node is not asked for older states once it has none of a block, until an hour later', async () => {
  const { usd, logged, clock } = priced()
  const dropped = (call: { params: unknown[] }) => BigInt(String(call.params[1])) < (blocks[30]?.block ?? 0n)
  proxy.add({
    when: (call) => call.method === 'eth_call' && dropped(call),
    fault: { error: { code: -32000, message: 'missing trie node 01 (path )' } },
  })
  const known = blocks.map((block, i) => [i < 30 ? undefined : block.usd, '2.5'])
  expect(await usd(blocks, [NATIVE, uni])).toEqual(known)
  expect(logged).toHaveLength(1)
  const asked = proxy.requests()
  expect(await usd(blocks.slice(0, 30), [NATIVE, uni])).toEqual(known.slice(0, 30))
  expect(proxy.requests()).toBe(asked)
  clock.time += 3_600_001
  expect(await usd(blocks.slice(0, 30), [NATIVE, uni])).toEqual(known.slice(0, 30))
  expect(proxy.requests()).toBeGreaterThan(asked)
})

test('a feed that fails is no price that nobody knows', async () => {
  const { usd } = priced()
  proxy.add({ when: (call) => call.method === 'eth_call', fault: { raw: { status: 500, body: '' } } })
  await expect(usd(blocks.slice(0, 2))).rejects.toMatchObject({ name: 'UpstreamError' })
})

test('a receipt contract that reverts has no price, and keeps no other token from its own', async () => {
  // A contract without that function.
  const receipt = evmAddress(feeds.ethUsd)
  const decompose: ProtocolDeployment['decompose'] = async (reader, { protocolContract, amountRaw }) => {
    const abi = parseAbi(['function convertToAssets(uint256) view returns (uint256)'])
    const { address } = protocolContract
    const assets = await reader.read({ address, abi, functionName: 'convertToAssets', args: [amountRaw] })
    return [{ token: uni, amountRaw: assets }]
  }
  const protocolContract = { address: receipt, role: 'vault', fungible: true, underlyings: [uni] }
  const deployment = { decompose, adapter: {} } as unknown as ProtocolDeployment
  const { usd } = priced([{ deployment, protocolContracts: [protocolContract] }])
  const found = await usd(blocks.slice(0, 3), [receipt, NATIVE, uni])
  expect(found).toEqual(blocks.slice(0, 3).map((block) => [undefined, block.usd, '2.5']))
})
