import type { Portfolio, WalletView } from '@coffer/contract'
import { startDevnet } from '@coffer/devnet'
import { type Address, parseAbi, toHex } from 'viem'
import { expect, inject, it } from 'vitest'
import { startService, testClock } from '../harness.ts'
import { readPortfolio } from '../portfolio-reads.ts'
import { seededRandom } from '../random.ts'
import { sized } from '../sized.ts'
import { started } from '../started.ts'
import { readTruth } from './chain-truth.ts'
import {
  gapsOf,
  ONE,
  scaled,
  shownLines,
  trueLines,
  trueWalletLines,
  walletLines,
  wrongSums,
} from './portfolio-lines.ts'
import { giveHugeAmounts, giveSingleUnits, leaveSomething, moveOnBase, moveOnEthereum } from './random-states.ts'

/** Longer than an answer is fresh. */
const NOT_FRESH_MS = 61_000
const CHAINS = ['ethereum', 'base'] as const

const clock = testClock()

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const service = await started(startService({ devnet, clock }))
// Repays debts in simulations.
const { actions, addresses } = devnet.chains.ethereum
await actions.erc20.allow(addresses.tokens.usdc, devnet.wallets.whale.address, addresses.morpho.blue)

/** A new read of the wallet, after new answers of the feeds. */
async function readAnew(wallet: Address): Promise<{ portfolio: Portfolio; view: WalletView }> {
  await devnet.refreshFeeds()
  clock.advance(NOT_FRESH_MS)
  const portfolio = await readPortfolio(service, wallet)
  const [view] = await service.client.getWallet({ query: { addresses: wallet } })
  if (!portfolio || !view) throw new Error('no portfolio in the answer')
  return { portfolio, view }
}

/** Compares both views of the wallet with the chains at their blocks. */
async function expectTruth(wallet: Address): Promise<Portfolio> {
  const { portfolio, view } = await readAnew(wallet)
  expect(gapsOf(portfolio)).toEqual([])
  expect(wrongSums(portfolio)).toEqual([])
  for (const chain of CHAINS) {
    const { block = '0', timestamp = '' } = portfolio.asOf[chain] ?? {}
    const truth = await readTruth(devnet, chain, wallet, BigInt(block))
    expect(shownLines(portfolio, chain)).toEqual(trueLines(truth))
    const header = await devnet.chains[chain].client.getBlock({ blockNumber: BigInt(block) })
    expect(Date.parse(timestamp)).toBe(Number(header.timestamp) * 1000)
    const ofView = await readTruth(devnet, chain, wallet, BigInt(view.asOf[chain]?.block ?? 0))
    expect(walletLines(view, chain)).toEqual(trueWalletLines(ofView))
  }
  return portfolio
}

/** Background searches find tokens that only logs name: requests until a read has shown them. */
async function untilFound(wallet: Address, contract: string): Promise<void> {
  await expect
    .poll(async () => {
      clock.advance(NOT_FRESH_MS)
      const answer = await service.get(`/v1/wallet?addresses=${wallet}&waitForSync=true`)
      return answer.text.includes(contract.toLowerCase())
    })
    .toBe(true)
}

/** Like `untilFound`, for everything that logs name: requests until no answer reports a search. */
async function untilSearched(wallet: Address): Promise<void> {
  await expect
    .poll(async () => {
      clock.advance(NOT_FRESH_MS)
      const answer = await service.get(`/v1/portfolio?addresses=${wallet}&waitForSync=true`)
      return answer.text.includes('"searching"')
    })
    .toBe(false)
}

it('shows the demonstration wallet as the protocols see it, on both chains', async () => {
  const { demo } = devnet.wallets
  for (const chain of CHAINS) await untilFound(demo.address, devnet.chains[chain].addresses.tokens.orphan)
  const portfolio = await expectTruth(demo.address)
  expect(Object.keys(portfolio.assetByProtocols)).toEqual([
    'wallet',
    'aave_v2',
    'aave_v3',
    'compound_v2',
    'lido',
    'nova_vaults',
    'uniswap_v2',
    'uniswap_v3',
  ])
})

it('shows one unit of everything', async () => {
  const wallet = seededRandom('single units').address()
  await giveSingleUnits(devnet.chains, devnet.wallets.demo.address, wallet)
  await expectTruth(wallet)
})

it('shows random states of every protocol as the protocols see them', {
  timeout: sized({ small: 240_000, deep: 3_000_000 }),
}, async () => {
  const random = seededRandom('portfolio truth')
  for (let round = 0; round < sized({ small: 3, deep: 40 }); round += 1) {
    const wallet = round === 0 ? devnet.wallets.demo.address : random.address()
    await moveOnEthereum(devnet.chains, wallet, random)
    await moveOnBase(devnet.chains, wallet, random)
    if (round === 0) await leaveSomething(devnet.chains, wallet)
    for (const chain of CHAINS) await devnet.chains[chain].travel(1 + random.index(1_000))
    await untilSearched(wallet)
    const portfolio = await expectTruth(wallet)
    expect(Object.keys(portfolio.assetByProtocols).length).toBe(12)
  }
})

it('shows 10^30 units of everything', async () => {
  const wallet = seededRandom('huge amounts').address()
  await giveHugeAmounts(devnet.chains, wallet)
  const portfolio = await expectTruth(wallet)
  expect(scaled(portfolio.networth)).toBeGreaterThan(10n ** 20n * ONE)
})

/** `value` ÷ `by`, rounded half to even to 18 decimals, in 10^-18. */
function quotient(value: bigint, by: bigint): bigint {
  const unit = ONE / 10n ** 18n
  const numerator = value * ONE
  const denominator = by * unit
  const floor = numerator / denominator
  const twice = 2n * (numerator % denominator)
  const up = twice > denominator || (twice === denominator && floor % 2n === 1n)
  return up ? floor + 1n : floor
}

const aggregatorAbi = parseAbi(['function latestAnswer() view returns (int256)'])
/** Chainlink's EUR / USD on Ethereum; source: data.chain.link. */
const EUR_FEED: Address = '0xb49f677943BC038e9857d61E7d053CaA2C1734C1'
const EUR_USD = 108_345_678n
/** Storage of the local feeds' contract up to its last scalar. */
const FEED_SLOTS = 12

/** The euro's feed, a copy of another with its own answer. */
async function placeEuroFeed(): Promise<void> {
  const { client, actions, addresses } = devnet.chains.ethereum
  const from = addresses.feeds.ethUsd
  await client.setCode({ address: EUR_FEED, bytecode: (await client.getCode({ address: from })) ?? '0x' })
  for (let slot = 0; slot < FEED_SLOTS; slot += 1) {
    const index = toHex(slot, { size: 32 })
    const value = (await client.getStorageAt({ address: from, slot: index })) ?? '0x'
    await client.setStorageAt({ address: EUR_FEED, index, value })
  }
  await actions.feeds.set(EUR_FEED, EUR_USD)
}

it('sums net asset values, in dollars and by the feed of another currency', async () => {
  const { demo, dust } = devnet.wallets
  await placeEuroFeed()
  const answer = await devnet.chains.ethereum.client.readContract({
    address: devnet.chains.ethereum.addresses.feeds.ethUsd,
    abi: aggregatorAbi,
    functionName: 'latestAnswer',
  })
  const wallets = `${demo.address},${dust.address}`
  clock.advance(NOT_FRESH_MS)
  await service.get(`/v1/portfolio?addresses=${wallets}&waitForSync=true`)
  const portfolios = await service.client.getPortfolio({ query: { addresses: wallets } })
  const total = portfolios.reduce((sum, { networth }) => sum + scaled(networth), 0n)
  const usdPer = { USD: 10n ** 8n, ETH: answer, EUR: EUR_USD }
  for (const [currency, price] of Object.entries(usdPer)) {
    const { status, text } = await service.get(`/v1/nav?addresses=${wallets}&currency=${currency.toLowerCase()}`)
    expect(status).toBe(200)
    const [, nav = '', named, conversionPrice = ''] =
      /^\{"nav":([\d.]+),"currency":"(\w+)","conversionPrice":([\d.]+),/.exec(text) ?? []
    expect(named).toBe(currency)
    const perUnit = (price * ONE) / 10n ** 8n
    expect(scaled(conversionPrice)).toBe(perUnit)
    expect(scaled(nav)).toBe(quotient(total, perUnit) * (ONE / 10n ** 18n))
  }
})

it('says when wallets were last read', async () => {
  const { demo, empty } = devnet.wallets
  clock.advance(NOT_FRESH_MS)
  const portfolio = await readPortfolio(service, demo.address)
  const outsider = seededRandom('stranger').address()
  const items = await service.client.getStatus({ query: { addresses: `${demo.address},${outsider}` } })
  const sync = {
    ...{ state: 'never', reason: null, requestedAt: null, newTransactions: 0, chains: [] },
    ...{ action: 'sync', advice: expect.stringContaining('call POST /v1/sync-transactions') },
  }
  const never = { transactionsLastSync: null, syncInProgress: false, sync }
  expect(items).toEqual([
    {
      address: demo.address.toLowerCase(),
      portfolioLastSync: new Date(Number(portfolio?.lastUpdated)).toISOString(),
      ...never,
    },
    { address: outsider, portfolioLastSync: null, ...never },
  ])
  const [nothing] = await service.client.getPortfolio({ query: { addresses: empty.address } })
  expect(nothing).toMatchObject({ networth: '0', chains: {} })
  expect(gapsOf(nothing)).toEqual([])
})
