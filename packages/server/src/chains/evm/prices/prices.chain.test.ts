import { setTimeout } from 'node:timers/promises'
import { addresses, startDevnet, wallets } from '@coffer/devnet'
import { type Address, parseAbi, parseEther } from 'viem'
import { describe, expect, inject, it } from 'vitest'
import { contractOf } from '../../../../test/contract-of.ts'
import { type RpcProxy, startRpcProxy } from '../../../../test/rpc-proxy.ts'
import { started } from '../../../../test/started.ts'
import { type Decimal, decimal, fromRaw } from '../../../domain/decimal.ts'
import { type EvmAddress, evmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { Token } from '../../../domain/token.ts'
import { systemClock } from '../../../lib/clock.ts'
import { createPriceGraph, RECEIPT } from '../../../prices/price-graph.ts'
import type { PriceSource } from '../../../prices/price-source.ts'
import { NO_RECEIPTS, type ReceiptDirectory } from '../../../prices/receipts.ts'
import type { Chain } from '../../chain.ts'
import { chains } from '../../chain-types.ts'
import { createRpcPool } from '../../rpc/rpc-pool.ts'
import { createEvmReader } from '../reader/create-evm-reader.ts'
import type { EvmReader, PlannedCall, Scan } from '../reader/evm-reader.ts'
import { createAavePrices, PUBLISHED_AAVE_ORACLES } from './aave-prices.ts'
import type { FeedRow } from './chainlink-feed.ts'
import { PUBLISHED_FEEDS } from './chainlink-feed.ts'
import { createChainlinkPrices } from './chainlink-prices.ts'
import { createFxRates } from './fx-rates.ts'
import { poolLens } from './pool-lens.bytecode.ts'
import { type ChainPoolFactory, createUniswapPrices, PUBLISHED_QUOTE_TOKENS } from './uniswap-prices.ts'

const at = addresses.ethereum
const { tokens } = at
const ethereum = chains.find(({ key }) => key === 'ethereum') as Chain
const decimalsOf: Record<string, number> = { [tokens.usdc]: 6, [tokens.usdt]: 6, [tokens.wbtc]: 8, [tokens.orphan]: 9 }
const token = (address: string, listed = true): Token => ({
  chain: 'ethereum',
  address: evmAddress(address),
  ...{ symbol: '', name: '', decimals: decimalsOf[address] ?? 18, listed },
})

const factories: ChainPoolFactory[] = [
  { chain: 'ethereum', kind: 'uniswap_v2', factory: at.uniswapV2.factory },
  { chain: 'ethereum', kind: 'uniswap_v3', factory: at.uniswapV3.factory },
]
const sources = {
  aave: createAavePrices({
    oracles: PUBLISHED_AAVE_ORACLES,
    assets: () =>
      new Set([tokens.weth, tokens.wbtc, tokens.usdc, tokens.dai, tokens.link, tokens.usdt].map(evmAddress)),
  }),
  chainlink: createChainlinkPrices(PUBLISHED_FEEDS),
  uniswap: createUniswapPrices({ factories, quoteTokens: PUBLISHED_QUOTE_TOKENS }),
}

/** Functions of several contracts. */
const abi = parseAbi([
  'struct Params { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }',
  'function quoteExactInputSingle(Params params) returns (uint256 amountOut, uint160 sqrtPriceX96, uint32 crossed, uint256 gas)',
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[] amounts)',
  'function latestAnswer() view returns (int256)',
  'function getAssetPrice(address asset) view returns (uint256)',
  'function getPool(address one, address other, uint24 fee) view returns (address)',
  'function increaseObservationCardinalityNext(uint16 next)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
])
const contract = (address: Address) => contractOf(chain, address, abi)
const NETWORK_MS = 50

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const chain = devnet.chains.ethereum

const openReader = (): EvmReader =>
  createEvmReader({ pool: createRpcPool({ chain: 'ethereum', urls: [chain.url] }), chain: ethereum })

const graphOf = (...line: (PriceSource<EvmReader> | typeof RECEIPT)[]) =>
  createPriceGraph({ sources: line, log: { warn: () => undefined } })

/** Takes the chain back afterwards. */
const onFork = (work: () => Promise<void>) => async () => {
  const snapshot = await chain.client.snapshot()
  await work().finally(() => chain.client.revert({ id: snapshot }))
}

/** Reads by a pool through a proxy with the delay of a network: without it, one batch would count as two trips. */
async function throughProxy(
  work: (openSlow: (options?: { plan: readonly PlannedCall[] }) => EvmReader, proxy: RpcProxy) => Promise<void>,
) {
  const proxy = await startRpcProxy(chain.url)
  const pool = createRpcPool({ chain: 'ethereum', urls: [proxy.url] })
  const openSlow = (options = { plan: [] as readonly PlannedCall[] }) => {
    proxy.reset()
    proxy.add({ fault: { before: () => setTimeout(NETWORK_MS) } })
    return createEvmReader({ pool, chain: ethereum, lenses: [poolLens], ...options })
  }
  await work(openSlow, proxy).finally(() => proxy.stop())
}

type Held = [address: string, amountRaw: bigint, listed?: boolean]
const each = (...addresses: string[]) => addresses.map((address): Held => [address, 1n])

async function priced(
  names: (keyof typeof sources | 'receipt')[],
  held: Held[],
  receipts: ReceiptDirectory = NO_RECEIPTS,
) {
  const graph = graphOf(...names.map((name) => (name === 'receipt' ? RECEIPT : sources[name])))
  const session = graph.open({ chain: ethereum, reader: openReader() }, receipts)
  const requests = held.map(([address, amountRaw, listed]) => ({ token: token(address, listed), amountRaw }))
  const prices = await session.price(requests)
  return { prices, session, of: (address: string) => prices.get(evmAddress(address)) }
}

const answerOf = (feed: Address) => contract(feed).read('latestAnswer')

/** The quoter's or router's answer in wrapped ether, in USD. */
async function usdOfWeth(amountRaw: bigint): Promise<Decimal> {
  return fromRaw(amountRaw, 18).times(fromRaw(await answerOf(at.feeds.ethUsd), 8))
}

/** The quoter's payment for NOVA, in USD. */
async function quoted(amountIn: bigint): Promise<Decimal> {
  const params = { tokenIn: tokens.nova, tokenOut: tokens.weth, amountIn, fee: 10_000, sqrtPriceLimitX96: 0n }
  const { simulate } = contract(at.uniswapV3.quoterV2)
  const [paid] = await simulate<[bigint]>(wallets.demo.address, 'quoteExactInputSingle', params)
  return usdOfWeth(paid)
}

describe('oracles', () => {
  it('price tokens by the feeds at their published addresses, native and wrapped coin alike', async () => {
    const { of, session } = await priced(['chainlink'], each(NATIVE, tokens.weth, tokens.dai, tokens.uni, tokens.nova))
    const expected = [
      [NATIVE, at.feeds.ethUsd],
      [tokens.weth, at.feeds.ethUsd],
      [tokens.dai, at.feeds.daiUsd],
      [tokens.uni, at.feeds.uniUsd],
    ] as const
    const block = await chain.client.getBlock()
    for (const [address, feed] of expected) {
      expect(of(address)).toMatchObject({ source: 'chainlink', confidence: 1, block: block.number })
      expect(of(address)?.usd.toFixed()).toBe(fromRaw(await answerOf(feed), 8).toFixed())
    }
    expect(of(tokens.nova)).toBeUndefined()
    expect(session.unsettled().size).toBe(0)
  })

  it('multiply the feeds of a path', async () => {
    const row: FeedRow = {
      chain: 'ethereum',
      token: tokens.link,
      path: [at.feeds.linkEth, at.feeds.ethUsd].map((aggregator) => ({ aggregator, heartbeatSeconds: 3600 })),
    }
    const session = graphOf(createChainlinkPrices([row])).open({ chain: ethereum, reader: openReader() })
    const prices = await session.price([{ token: token(tokens.link), amountRaw: 1n }])
    expect(prices.get(evmAddress(tokens.link))?.usd.toFixed()).toBe('15')
  })

  it('are read without being asked for, but for those on demand', async () => {
    const feed = (token: string, aggregator: string): FeedRow => ({
      ...{ chain: 'ethereum', token, path: [{ aggregator, heartbeatSeconds: 3600 }] },
    })
    const rows = [feed(NATIVE, at.feeds.ethUsd), { ...feed(tokens.dai, at.feeds.daiUsd), onDemand: true as const }]
    const readLate = async (asked: string) => {
      const reader = openReader()
      const session = graphOf(createChainlinkPrices(rows)).open({ chain: ethereum, reader })
      await reader.header()
      const prices = await session.price([{ token: token(asked), amountRaw: 1n }])
      return { priced: prices.size, late: [...new Set(reader.plan().map(({ to }) => to))] }
    }
    // The plan includes tokens requested after the first batch.
    expect(await readLate(NATIVE)).toEqual({ priced: 1, late: [] })
    expect(await readLate(tokens.dai)).toEqual({ priced: 1, late: [evmAddress(at.feeds.daiUsd)] })
  })

  it('are all read ahead of a first read, so that pools take the place of one that is not there in the second trip', async () => {
    // The local chain has no code at the address.
    const path = [{ aggregator: '0x00000000000000000000000000000000000feed0', heartbeatSeconds: 3600 }]
    const row: FeedRow = { chain: 'ethereum', token: tokens.nova, path, onDemand: true }
    const graph = graphOf(createChainlinkPrices([...PUBLISHED_FEEDS, row]), sources.uniswap)
    await throughProxy(async (openSlow, proxy) => {
      const read = async (first: { isFirst?: true }) => {
        const reader = openSlow()
        const session = graph.open({ chain: ethereum, reader, ...first })
        await reader.header()
        const prices = await session.price([{ token: token(tokens.nova), amountRaw: 1n }])
        const price = prices.get(evmAddress(tokens.nova))
        const late = new Set(reader.plan().map(({ to, lens }) => lens ?? to))
        return { trips: proxy.trips(), source: price?.source, usd: price?.usd.toFixed(), late: [...late] }
      }
      const { usd, ...known } = await read({})
      const late = ['0x00000000000000000000000000000000000feed0', 'PoolLens']
      expect(known).toEqual({ trips: 3, source: expect.stringMatching('uniswap'), late })
      expect(await read({ isFirst: true })).toEqual({ ...known, trips: 2, usd })
    })
  })

  it(
    'reject a figure that is older than its heartbeat at the block that is read',
    onFork(async () => {
      await chain.travel(2 * 3600)
      const { of, session } = await priced(['chainlink'], each(tokens.weth, tokens.usdc))
      // ETH/USD has a heartbeat of an hour, USDC/USD of a day.
      expect(of(tokens.weth)).toBeUndefined()
      expect(of(tokens.usdc)?.source).toBe('chainlink')
      expect([...session.unsettled()]).toEqual([evmAddress(tokens.weth)])
      expect([...session.failedSources()]).toEqual(['chainlink'])
    }),
  )

  it(
    'reject an answer of zero or below',
    onFork(async () => {
      await chain.actions.feeds.set(at.feeds.ethUsd, 0n)
      await chain.actions.feeds.set(at.feeds.usdcUsd, -1n)
      const { prices } = await priced(['chainlink'], each(tokens.weth, tokens.usdc))
      expect(prices.size).toBe(0)
    }),
  )

  it('of Aave price what its markets hold, as they do themselves', async () => {
    const held = [tokens.weth, tokens.wbtc, tokens.usdc, tokens.dai, tokens.link, tokens.usdt]
    const { of } = await priced(['aave'], each(...held, tokens.nova))
    for (const asset of held) {
      const raw = await contract(at.aaveV3.oracle).read('getAssetPrice', asset)
      const shown = [asset, of(asset)?.usd.toFixed(), of(asset)?.source]
      expect(shown).toEqual([asset, fromRaw(raw, 8).toFixed(), 'aave'])
    }
    expect(of(tokens.nova)).toBeUndefined()
  })
})

describe('pools', () => {
  it.each(['1', '1000000', '1000000000', '100000000000000', '1000000000000000000'])(
    'of v2 pay what the router says for %s base units',
    async (text) => {
      const amountRaw = BigInt(text)
      const { of } = await priced(['chainlink', 'uniswap'], [[tokens.orphan, amountRaw, false]])
      const router = contract(at.uniswapV2.router)
      const [, out = 0n] = await router.read<bigint[]>('getAmountsOut', amountRaw, [tokens.orphan, tokens.weth])
      expect(of(tokens.orphan)?.source).toBe('uniswap_v2')
      const value = fromRaw(amountRaw, 9).times(of(tokens.orphan)?.usd ?? '0')
      // The router rounds down to a base unit; the price is rounded to 18 digits.
      const slack = (await usdOfWeth(1n)).plus(fromRaw(amountRaw, 9).times('1e-18'))
      expect(
        value
          .minus(await usdOfWeth(out))
          .abs()
          .lte(slack),
      ).toBe(true)
    },
  )

  it.each(['0.000000000000000001', '1', '1000', '900000', '1000000000000'])(
    'of v3 pay what the quoter says for %s NOVA',
    async (text) => {
      const amountRaw = parseEther(text)
      const { of } = await priced(['chainlink', 'uniswap'], [[tokens.nova, amountRaw]])
      expect(of(tokens.nova)?.source).toBe('uniswap_v3')
      const value = fromRaw(amountRaw, 18).times(of(tokens.nova)?.usd ?? '0')
      const paid = await quoted(amountRaw)
      const slack = (await usdOfWeth(2n)).plus(fromRaw(amountRaw, 18).times('1e-18'))
      expect(value.minus(paid).lte(slack), `${value} over ${paid}`).toBe(true)
      expect(value.minus(paid).gte(slack.times('-1').minus(paid.times('0.0000001'))), `${value} under ${paid}`).toBe(
        true,
      )
    },
  )

  it(
    'of v3 stay exact over initialised ticks and pay nothing beyond what was read',
    onFork(async () => {
      const side = (address: Address, figure: string) => ({ token: address, amount: parseEther(figure) })
      const { nova, weth } = tokens
      for (const range of [
        { below: 400, above: 400 },
        { below: 2_000, above: 1_000 },
        { below: 6_000, above: 200 },
      ]) {
        for (const address of [nova, weth])
          await chain.actions.erc20.mint(address, wallets.demo.address, parseEther('100000'))
        await chain.actions.uniswapV3.mint(wallets.demo.address, side(nova, '50000'), side(weth, '50'), 10_000, range)
      }
      for (const figure of ['1000', '20000', '70000', '500000']) {
        const amountRaw = parseEther(figure)
        const { of } = await priced(['chainlink', 'uniswap'], [[tokens.nova, amountRaw]])
        const paid = await quoted(amountRaw)
        const value = fromRaw(amountRaw, 18).times(of(tokens.nova)?.usd ?? '0')
        expect(value.minus(paid).abs().lte(paid.times('0.000000001')), `${figure}: ${value} and ${paid}`).toBe(true)
      }
    }),
  )

  it('leave out a token whose only pool is a handful of dollars at a fantastic price', async () => {
    const { of, session } = await priced(['chainlink', 'uniswap'], [[tokens.spam, parseEther('1000000'), false]])
    expect(of(tokens.spam)).toBeUndefined()
    expect(session.unsettled().size).toBe(0)
  })

  it(
    'are chosen by depth: a shallow one at ten times the price moves nothing',
    onFork(async () => {
      const { of: before } = await priced(['chainlink', 'uniswap'], [[tokens.nova, 0n]])
      const provider = wallets.demo.address
      const nova = { token: tokens.nova, amount: parseEther('10000') }
      const weth = { token: tokens.weth, amount: parseEther('100') }
      for (const { token: address, amount } of [nova, weth]) await chain.actions.erc20.mint(address, provider, amount)
      await chain.actions.uniswapV2.add(provider, nova, weth)
      const { of: after } = await priced(['chainlink', 'uniswap'], [[tokens.nova, 0n]])
      expect(after(tokens.nova)?.usd.toFixed()).toBe(before(tokens.nova)?.usd.toFixed())
    }),
  )

  it(
    'whose price left its mean of half an hour say nothing',
    onFork(async () => {
      const trader = wallets.whale.address
      const pool = await contract(at.uniswapV3.factory).read<Address>('getPool', tokens.nova, tokens.weth, 10_000)
      await contract(pool).write(trader, 'increaseObservationCardinalityNext', 10)
      const buy = async (figure: string) => {
        const give = { token: tokens.weth, amount: parseEther(figure) }
        await chain.actions.erc20.mint(give.token, trader, give.amount)
        await chain.actions.uniswapV3.swap(trader, give, tokens.nova, 10_000)
      }
      await buy('0.001')
      await chain.travel(3_600)
      await devnet.refreshFeeds()
      const { of: before } = await priced(['chainlink', 'uniswap'], [[tokens.nova, 0n]])
      expect(before(tokens.nova)).toMatchObject({ confidence: 0.95 })
      await buy('100')
      const { of, session } = await priced(['chainlink', 'uniswap'], [[tokens.nova, 0n]])
      expect(of(tokens.nova)).toBeUndefined()
      expect([...session.unsettled()]).toEqual([evmAddress(tokens.nova)])
    }),
  )

  it('price the quote tokens themselves where no oracle does', async () => {
    const stable = createChainlinkPrices(PUBLISHED_FEEDS.filter((row) => row.token === tokens.usdc))
    const session = graphOf(stable, sources.uniswap).open({ chain: ethereum, reader: openReader() })
    const held = [NATIVE, tokens.nova, tokens.orphan].map((address) => ({ token: token(address), amountRaw: 0n }))
    const prices = await session.price(held)
    const usd = (address: string) => Number(prices.get(evmAddress(address))?.usd ?? 0)
    // Every pool was filled at 3000 USD an ether, NOVA at a thousandth and ORPHAN at a two-thousandth of one. The demo
    // traded a little.
    expect(usd(NATIVE) / 3000).toBeCloseTo(1, 1)
    expect(usd(tokens.nova) / 3).toBeCloseTo(1, 1)
    expect(usd(tokens.orphan) / 1.5).toBeCloseTo(1, 1)
  })
})

describe('receipts', () => {
  const vault = evmAddress(at.local.vault)

  it('of receipts are worth what redeeming them all the way would pay', async () => {
    const aToken = evmAddress('0x98C23E9d8f34FEFb1B7BD6a91B7FF122F4e16F5c')
    const outer = evmAddress('0x00000000000000000000000000000000000a11ce')
    const rate = await contract(vault).read('convertToAssets', 10n ** 18n)
    const reader = openReader()
    // An outer receipt is two shares of the vault. The vault prices a share in aTokens. An aToken is one coin.
    const receipts: ReceiptDirectory = {
      underlyings: (address) => ({ [outer]: [vault], [vault]: [aToken], [aToken]: [evmAddress(tokens.usdc)] })[address],
      async decompose(address, amountRaw) {
        if (address === outer) return [{ token: vault, amountRaw: 2n * amountRaw }]
        if (address === aToken) return [{ token: evmAddress(tokens.usdc), amountRaw }]
        const assets = await reader.read({
          address: vault,
          abi,
          functionName: 'convertToAssets',
          args: [amountRaw],
        })
        return [{ token: aToken, amountRaw: assets }]
      },
      token: (address) =>
        address === outer || address === vault ? token(address) : { ...token(address), decimals: 6 },
    }
    const { of } = await priced(['receipt', 'chainlink'], [[outer, parseEther('3')]], receipts)
    const usdc = fromRaw(await answerOf(at.feeds.usdcUsd), 8)
    const expected = fromRaw(rate, 6).times(2).times(usdc)
    expect(of(outer)?.source).toBe('receipt')
    expect(of(outer)?.usd.minus(expected).abs().lte(decimal('0.000003'))).toBe(true)
  })
})

describe('exchange rates', () => {
  const fx = () =>
    createFxRates({
      openReader: (key) => (key === 'ethereum' ? openReader() : undefined),
      ...{ apis: [], currencies: ['USD', 'ETH', 'BTC', 'EUR'], clock: systemClock, log: { warn: () => undefined } },
    })

  it('are those of the feeds, and unknown where there is none or it is stale', async () => {
    expect(await fx().usdPerUnit('ETH')).toMatchObject({ source: 'chainlink' })
    expect((await fx().usdPerUnit('ETH'))?.usd.toFixed()).toBe(fromRaw(await answerOf(at.feeds.ethUsd), 8).toFixed())
    expect((await fx().usdPerUnit('BTC'))?.usd.toFixed()).toBe(fromRaw(await answerOf(at.feeds.btcUsd), 8).toFixed())
    // The local chain has no aggregator for the euro.
    expect(await fx().usdPerUnit('EUR')).toBeUndefined()
    const snapshot = await chain.client.snapshot()
    try {
      await chain.travel(2 * 3600)
      expect(await fx().usdPerUnit('ETH')).toBeUndefined()
    } finally {
      await chain.client.revert({ id: snapshot })
    }
  })
})

describe('the reads of prices', () => {
  const list = Object.values(tokens).map(evmAddress)
  const heldIn = ({ balances }: Scan) =>
    [...balances].map(([address, amountRaw]) => ({ token: token(address), amountRaw }))

  it('of pools come with the scan of a wallet that holds the tokens, once another wallet has asked for some', async () => {
    const graph = graphOf(sources.chainlink, sources.uniswap)
    const owner = evmAddress(wallets.demo.address)
    await throughProxy(async (openSlow, proxy) => {
      const read = async (plan: readonly PlannedCall[], expected?: readonly EvmAddress[]) => {
        const reader = openSlow({ plan })
        const session = graph.open({ chain: ethereum, reader, owner })
        reader.expectHeld(new Set(expected ?? list.filter(session.needsMarket)))
        const found = await session.price(heldIn(await reader.scan(owner, list)))
        const prices = [...found.values()].map((price) => ({ ...price, usd: price.usd.toFixed() }))
        return { prices, trips: proxy.trips(), plan: reader.plan() }
      }
      const held = ({ plan }: { plan: readonly PlannedCall[] }) => plan.filter((call) => call.held)
      const alone = await read([], [])
      expect({ trips: alone.trips, held: held(alone) }).toEqual({ trips: 2, held: [] })
      expect(alone.prices.filter(({ source }) => source.startsWith('uniswap')).length).toBeGreaterThan(1)
      const foreseen = held(await read([]))
      expect(foreseen).toHaveLength(1)
      expect(await read(foreseen)).toEqual({ prices: alone.prices, trips: 1, plan: foreseen })
    })
  })

  it('take one trip along with the scan, and leave with it the next time', async () => {
    const graph = graphOf(RECEIPT, sources.aave, sources.chainlink, sources.uniswap)
    await throughProxy(async (openSlow, proxy) => {
      const read = async (plan: readonly PlannedCall[]) => {
        const reader = openSlow({ plan })
        const session = graph.open({ chain: ethereum, reader })
        const scan = await reader.scan(evmAddress(wallets.demo.address), list)
        const prices = await session.price([{ token: token(NATIVE), amountRaw: scan.nativeRaw }, ...heldIn(scan)])
        expect(prices.size).toBeGreaterThan(3)
        return { plan: reader.plan(), trips: proxy.trips(), requests: proxy.requests() }
      }
      const first = await read([])
      expect(first.trips).toBe(2)
      expect(first.requests).toBeLessThanOrEqual(2)
      expect(await read(first.plan)).toMatchObject({ trips: 1, requests: 1 })
    })
  })
})
