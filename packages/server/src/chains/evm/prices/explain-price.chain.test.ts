import { addresses, startDevnet, wallets } from '@coffer/devnet'
import { type Address, parseAbi, parseEther } from 'viem'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { contractOf } from '../../../../test/contract-of.ts'
import { startRpcProxy } from '../../../../test/rpc-proxy.ts'
import { started } from '../../../../test/started.ts'
import { type Decimal, decimal, fromRaw, ONE } from '../../../domain/decimal.ts'
import { evmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { Token } from '../../../domain/token.ts'
import { confidenceOf, deviationPercent, usedWay } from '../../../prices/price-confidence.ts'
import { createPriceGraph, RECEIPT } from '../../../prices/price-graph.ts'
import type { ReceiptDirectory } from '../../../prices/receipts.ts'
import type { Chain } from '../../chain.ts'
import { chains } from '../../chain-types.ts'
import { createRpcPool } from '../../rpc/rpc-pool.ts'
import { createExplainPrice } from '../../shared/explain-price.ts'
import type { ChainTokens } from '../../tokens.ts'
import { createEvmReader } from '../reader/create-evm-reader.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import { PUBLISHED_FEEDS } from './chainlink-feed.ts'
import { createChainlinkPrices } from './chainlink-prices.ts'
import { createUniswapPrices, PUBLISHED_QUOTE_TOKENS } from './uniswap-prices.ts'

const at = addresses.ethereum
const { tokens, feeds } = at
const ethereum = chains.find(({ key }) => key === 'ethereum') as Chain
const DAY = 86_400
const decimalsOf: Record<string, number> = { [tokens.usdc]: 6, [tokens.orphan]: 9 }
const token = (address: string): Token => ({
  ...{ chain: 'ethereum', address: evmAddress(address), symbol: 'T', name: 'T' },
  ...{ decimals: decimalsOf[address] ?? 18, listed: true },
})
const TWICE_NOVA = '0x00000000000000000000000000000000000a11ce'

const graph = createPriceGraph({
  sources: [
    RECEIPT,
    createChainlinkPrices(PUBLISHED_FEEDS),
    createUniswapPrices({
      factories: [
        { chain: 'ethereum', kind: 'uniswap_v2', factory: at.uniswapV2.factory },
        { chain: 'ethereum', kind: 'uniswap_v3', factory: at.uniswapV3.factory },
      ],
      quoteTokens: PUBLISHED_QUOTE_TOKENS,
    }),
  ],
  log: { warn: (fields) => expect.fail(`nobody reads the log of a look: ${JSON.stringify(fields)}`) },
})
/** One is two NOVA and a USDC. */
const receipts: ReceiptDirectory = {
  underlyings: (address) => (address === TWICE_NOVA ? [] : undefined),
  decompose: async (_, amountRaw) => [
    { token: evmAddress(tokens.nova), amountRaw: 2n * amountRaw },
    { token: evmAddress(tokens.usdc), amountRaw: amountRaw / 10n ** 12n },
  ],
  token: (address) => [token(tokens.nova), token(tokens.usdc)].find((each) => each.address === address),
}
const spelled: readonly string[] = [...Object.values(tokens), NATIVE, TWICE_NOVA]

type Known = ChainTokens<EvmReader>
const find = (address: string) => spelled.map(token).find((each) => each.address === address)

function explaining(url: string) {
  return createExplainPrice<EvmReader>({
    chains: new Map([['ethereum', ethereum]]),
    read: (_, work) =>
      work(createEvmReader({ pool: createRpcPool({ chain: 'ethereum', urls: [url] }), chain: ethereum })),
    tokens: {
      of: async () =>
        ({ find, isSpam: () => false, load: async () => {}, learn: async () => {} }) as Partial<Known> as Known,
    },
    prices: graph,
    blockOf: async (reader) => {
      const { number, timestamp } = await reader.header()
      return { number, time: timestamp }
    },
    receiptsOf: async () => receipts,
  })
}

async function explain(address: string, { amount = '0', url = chain.url } = {}) {
  const asked = { token: evmAddress(address), amount: decimal(amount) }
  const facts = await explaining(url)('ethereum', asked)
  if ('failure' in facts) throw new Error(facts.failure)
  const used = usedWay(facts)
  return {
    ...{ facts, used, confidence: confidenceOf(facts) },
    others: facts.ways
      .filter((way) => way !== used)
      .map((way) => [way.source, way.refusal, used && deviationPercent(way, used)?.round(1).toFixed()]),
  }
}

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const chain = devnet.chains.ethereum
let snapshot: `0x${string}`
beforeEach(async () => {
  snapshot = await chain.client.snapshot()
  await devnet.refreshFeeds()
})
afterEach(() => chain.client.revert({ id: snapshot }))

const blockTime = async () => Number((await chain.client.getBlock()).timestamp)

/** Adds liquidity to a pair of the token and wrapped ether, and creates the pair first. */
async function addPair(address: Address, amount: string, ether: string): Promise<void> {
  const sides = [
    { token: address, amount: parseEther(amount) },
    { token: tokens.weth, amount: parseEther(ether) },
  ] as const
  for (const side of sides) await chain.actions.erc20.mint(side.token, wallets.whale.address, side.amount)
  await chain.actions.uniswapV2.add(wallets.whale.address, ...sides)
}

/** The pair's balance equals its reserve: no one sent it tokens directly. */
const { balanceOf } = chain.actions.erc20

const product = (rates: readonly { rate: Decimal }[] = []) => rates.reduce((all, { rate }) => all.times(rate), ONE)

test('a feed of the token itself: its answer, its age, and the pool that agrees', async () => {
  await chain.actions.feeds.setAt(feeds.uniUsd, 800_000_000n, (await blockTime()) - 600)
  const { facts, used, others, confidence } = await explain(tokens.uni)
  expect(facts.price?.usd.toFixed()).toBe('8')
  expect(confidence).toEqual({ level: 'high', reason: 'fresh-feed' })
  const block = await chain.client.getBlock()
  expect(facts.block).toEqual({ number: block.number, time: Number(block.timestamp) })
  expect(used?.path.map(({ rate, ...step }) => ({ ...step, rate: rate.toFixed() }))).toEqual([
    {
      ...{ kind: 'feed', address: evmAddress(feeds.uniUsd), rate: '8', block: block.number, heartbeatSeconds: 3600 },
      updatedAt: expect.any(Number),
    },
  ])
  expect(Number(block.timestamp) - (used?.path[0]?.updatedAt ?? 0)).toBeGreaterThanOrEqual(600)
  // Its pool holds 1,000 of 3,000 USD and 375,000 UNI.
  expect(others).toEqual([['uniswap_v3', undefined, '0']])
  expect(facts.sources).toEqual([
    { source: 'chainlink', outcome: 'answered' },
    { source: 'uniswap', outcome: 'answered' },
  ])
})

test('a feed that is too old is reported with its last answer, and the pool replaces it', async () => {
  await chain.actions.feeds.setAt(feeds.uniUsd, 1_000_000_000n, (await blockTime()) - 2 * DAY)
  const { facts, used, others, confidence } = await explain(tokens.uni)
  expect(used?.source).toBe('uniswap_v3')
  expect(confidence).toEqual({ level: 'medium', reason: 'deep-pool' })
  // 10 USD of two days ago, above 8.
  expect(others).toEqual([['chainlink', 'stale', '25']])
  expect(facts.sources[0]).toEqual({ source: 'chainlink', outcome: 'invalid' })
})

test('a pool: its reserves, its depth in USD, and the feed of its quote token', async () => {
  const abi = parseAbi(['function getPair(address one, address other) view returns (address)'])
  const factory = contractOf(chain, at.uniswapV2.factory, abi)
  const pair = await factory.read<Address>('getPair', tokens.orphan, tokens.weth)
  const ether = fromRaw(await balanceOf(tokens.weth, pair), 18)
  const orphans = fromRaw(await balanceOf(tokens.orphan, pair), 9)
  const { facts, used, confidence } = await explain(tokens.orphan)
  const [pool, feed] = used?.path ?? []
  expect(used?.path).toHaveLength(2)
  const [address, quote] = [evmAddress(pair), evmAddress(tokens.weth)]
  expect(pool).toMatchObject({ kind: 'pool', address, quote, feeMillionths: 3_000 })
  expect(pool?.depthUsd?.toFixed()).toBe(ether.times('3000').toFixed())
  expect(pool?.rate.round(30).toFixed()).toBe(ether.div(orphans).round(30).toFixed())
  expect(feed).toMatchObject({ kind: 'feed', address: evmAddress(feeds.ethUsd) })
  expect(feed?.rate.toFixed()).toBe('3000')
  expect(facts.price?.usd.toFixed()).toBe(product(used?.path).round(18).toFixed())
  expect(confidence).toEqual({ level: 'medium', reason: 'deep-pool' })
  // For a third of its reserve, the pool pays much less.
  const sold = await explain(tokens.orphan, { amount: orphans.div('3').round(9).toFixed() })
  expect(sold.facts.price?.usd.div(product(used?.path)).round(2).toFixed()).toBe('0.75')
  expect(sold.used?.usd.eq(product(used?.path))).toBe(true)
})

test("an attacker's thin pool is shown and changes nothing", async () => {
  await addPair(tokens.uni, '37.5', '1')
  const { facts, others, confidence } = await explain(tokens.uni)
  expect(facts.price?.usd.toFixed()).toBe('8')
  expect(confidence).toEqual({ level: 'high', reason: 'fresh-feed' })
  expect(others).toEqual([
    ['uniswap_v3', undefined, '0'],
    ['uniswap_v2', 'thin', '900'],
  ])
})

test('a deep market that the feed has left is a reason to doubt', async () => {
  await chain.actions.feeds.set(feeds.uniUsd, 1_000_000_000n)
  const { facts, others, confidence } = await explain(tokens.uni)
  expect(facts.price?.usd.toFixed()).toBe('10')
  expect(confidence).toEqual({ level: 'low', reason: 'sources-disagree' })
  expect(others).toEqual([['uniswap_v3', undefined, '-20']])
})

test('no price: the only pool is a handful of dollars', async () => {
  const { facts, used, confidence } = await explain(tokens.spam)
  expect([facts.price, used]).toEqual([undefined, undefined])
  expect(confidence).toEqual({ level: 'none', reason: 'no-market' })
  expect(facts.ways.map(({ source, refusal, path }) => [source, refusal, path[0]?.depthUsd?.toFixed()])).toEqual([
    ['uniswap_v2', 'thin', '3'],
  ])
})

test('what stands for other tokens is as sure as the least sure of them', async () => {
  const { facts, confidence } = await explain(TWICE_NOVA)
  expect(facts.price?.source).toBe('receipt')
  expect(facts.parts.map(({ amount, facts: { price } }) => [amount.toFixed(), price?.source])).toEqual([
    ['2', 'uniswap_v3'],
    ['1', 'chainlink'],
  ])
  expect(facts.parts.map((part) => confidenceOf(part.facts).level)).toEqual(['medium', 'high'])
  expect(confidence).toEqual({ level: 'medium', reason: 'as-its-parts' })
})

test('an answer takes two trips, and a node that fails leaves its sources failed and no price', async () => {
  const proxy = await startRpcProxy(chain.url)
  try {
    await explain(tokens.nova, { url: proxy.url })
    expect(proxy.trips()).toBeLessThanOrEqual(2)
    expect(proxy.requests()).toBeLessThanOrEqual(2)
    proxy.add({ fault: { raw: { status: 500, body: '' } } })
    const { facts, confidence } = await explain(tokens.nova, { url: proxy.url })
    expect([facts.price, facts.block]).toEqual([undefined, undefined])
    expect(facts.sources.map(({ outcome }) => outcome)).not.toContain('answered')
    expect(confidence).toEqual({ level: 'none', reason: 'source-failed' })
  } finally {
    await proxy.stop()
  }
})
