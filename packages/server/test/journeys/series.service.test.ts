import { compareDecimals, type Portfolio, type PortfolioSeries } from '@coffer/contract'
import { startDevnet } from '@coffer/devnet'
import { startSolanaDevnet } from '@coffer/devnet/solana'
import { parseEther } from 'viem'
import { beforeEach, expect, inject, it } from 'vitest'
import { type Decimal, decimal, formatDecimal, ZERO } from '../../src/domain/decimal.ts'
import type { SolanaAddress } from '../../src/domain/solana-address.ts'
import { saveSnapshot } from '../../src/features/snapshots/snapshot-store.ts'
import { HANGS_MS } from '../hangs.ts'
import { startService, testClock } from '../harness.ts'
import { seededRandom } from '../random.ts'
import { startRpcProxy } from '../rpc-proxy.ts'
import { started } from '../started.ts'
import { moveOnBase, moveOnEthereum } from './random-states.ts'

const HOUR = 3_600
const DAY = 24 * HOUR
const DAYS = 12
const CHAINS = ['ethereum', 'base'] as const
const OF_STATE = /^eth_(call|getBalance|getCode)$/
const NO_STATE = { code: -32000, message: 'missing trie node 00 (path ) state is not available' }
const SOLANA_WALLET = 'So11111111111111111111111111111111111111112' as SolanaAddress

const clock = testClock()
const random = seededRandom('series')
const devnet = await started(startDevnet({ state: inject('devnetState'), args: ['--slots-in-an-epoch', '1'] }))
const { ethereum } = devnet.chains
const proxy = await started(startRpcProxy(ethereum.url, { counts: ({ method }) => method === 'eth_call' }))
const solana = await started(startSolanaDevnet())
const service = await started(
  startService({ devnet, endpoints: { ethereum: [proxy.url], solana: [solana.url] }, clock }),
)
const wallets = [random.address(), random.address()]
const from = await newestTime()
await liveSomeDays()
const to = await newestTime()
clock.advance(Math.max(0, to * 1_000 - clock.now()))

beforeEach(() => proxy.reset())

async function newestTime(): Promise<number> {
  const blocks = await Promise.all(CHAINS.map((chain) => devnet.chains[chain].client.getBlock()))
  return Math.max(...blocks.map(({ timestamp }) => Number(timestamp)))
}

/** Each day something moves on each chain. */
async function liveSomeDays(): Promise<void> {
  for (let day = 0; day < DAYS; day += 1) {
    const wallet = random.pick(wallets)
    await moveOnEthereum(devnet.chains, wallet, random)
    await moveOnBase(devnet.chains, wallet, random)
    for (const chain of CHAINS) await devnet.chains[chain].travel(DAY - 2 * HOUR + random.index(4 * HOUR))
    await devnet.refreshFeeds()
  }
  for (const chain of CHAINS) await devnet.chains[chain].client.mine({ blocks: 3 })
}

const iso = (unix: number) => new Date(unix * 1_000).toISOString().replace('.000Z', 'Z')

type Span = { from: number; to: number; interval?: string }

async function seriesOf(addresses: readonly string[], span: Span) {
  const { interval = 'day' } = span
  const path = `/v1/portfolio/series?addresses=${addresses}&from=${iso(span.from)}&to=${iso(span.to)}&interval=${interval}`
  const answer = await service.get(path)
  if (answer.status !== 200) throw new Error(answer.text)
  const series = answer.json() as PortfolioSeries
  const isWhole = series.points.every(({ computing, incomplete }) => !computing && incomplete.length === 0)
  expect(answer.headers.get('x-data-complete')).toBe(String(isWhole))
  return series
}

async function computed(addresses: readonly string[], span: Span): Promise<PortfolioSeries> {
  await expect.poll(async () => (await seriesOf(addresses, span)).computing, { timeout: HANGS_MS }).toBe(false)
  return seriesOf(addresses, span)
}

async function portfoliosAt(addresses: readonly string[], time: string): Promise<Portfolio[]> {
  const query = { addresses: addresses.join(','), date: time }
  const whole = async () => {
    const found = await service.client.getPortfolioAtBlock({ query })
    return found.flatMap(({ incomplete }) => incomplete)
  }
  await expect.poll(whole, { timeout: HANGS_MS }).toEqual([])
  return service.client.getPortfolioAtBlock({ query })
}

function summed(values: Iterable<readonly [key: string, value: string]>): Record<string, string> {
  const sums = new Map<string, Decimal>()
  for (const [key, value] of values) sums.set(key, (sums.get(key) ?? ZERO).plus(decimal(value)))
  return Object.fromEntries([...sums].map(([key, value]) => [key, formatDecimal(value)]))
}

const daysBetween = () => Math.floor(to / DAY) - Math.ceil(from / DAY) + 1

it('equals the sum of the portfolios at each time, by chain and protocol', async () => {
  const first = await seriesOf(wallets, { from, to })
  expect(first).toMatchObject({ currency: 'USD', interval: 'DAY', computing: true })
  expect(first.points.map(({ networth }) => networth)).toEqual(Array.from({ length: daysBetween() }, () => 'N/A'))
  const { points } = await computed(wallets, { from, to })
  expect(points).toHaveLength(daysBetween())
  for (const point of points) {
    const portfolios = await portfoliosAt(wallets, point.time)
    const protocols = portfolios.flatMap(({ assetByProtocols }) =>
      Object.values(assetByProtocols).flatMap(({ key, value, chains }) =>
        Object.keys(chains).length > 0 ? [[key, value] as const] : [],
      ),
    )
    expect([point.time, point.chains]).toEqual([
      point.time,
      summed(portfolios.flatMap(({ chains }) => Object.values(chains).map(({ key, value }) => [key, value] as const))),
    ])
    expect(point.protocols).toEqual(summed(protocols))
    expect({ sum: point.networth }).toEqual(summed(portfolios.map(({ networth }) => ['sum', networth] as const)))
    expect(point.asOf).toEqual(portfolios[0]?.asOf)
  }
  const worths = points.map(({ networth }) => networth)
  expect(new Set(worths).size).toBeGreaterThan(DAYS / 2)
  expect(compareDecimals(worths.at(-1) ?? '0', '0')).toBeGreaterThan(0)
})

it('asks a node once for each point, together for all wallets, and never again', async () => {
  await ethereum.client.mine({ blocks: 32, interval: HOUR })
  await ethereum.client.mine({ blocks: 3, interval: 12 })
  const end = await newestTime()
  clock.advance(Math.max(0, end * 1_000 - clock.now()))
  const span = { from: end - 31 * HOUR, to: end, interval: 'hour' }
  const own = random.address()
  await ethereum.actions.native.give(own, parseEther('3'))
  const callsFor = async (addresses: readonly string[]) => {
    proxy.reset()
    await computed(addresses, span)
    return proxy.requests()
  }
  const one = await callsFor([own])
  const many = await callsFor(Array.from({ length: 10 }, () => random.address()))
  console.info(`series of 31 points: ${one} calls for one wallet, ${many} for ten`)
  // The first block takes several: its later calls are the plan of the others.
  expect(one).toBeLessThanOrEqual(31 + 10)
  expect(many).toBeLessThanOrEqual(31 + 10)
  expect(await callsFor([own])).toBe(0)
})

it('marks points whose state no node has, and those before a chain hold nothing on it', async () => {
  const wallet = random.address()
  for (const chain of CHAINS) await devnet.chains[chain].actions.native.give(wallet, parseEther('2'))
  const { timestamp, number } = await ethereum.client.getBlock()
  const oldest = number - 10n
  const isOld = (tag: unknown) => typeof tag === 'string' && tag.startsWith('0x') && BigInt(tag) < oldest
  proxy.add({ when: ({ method, params }) => OF_STATE.test(method) && isOld(params[1]), fault: { error: NO_STATE } })
  const before = 1_000_000_000
  const { points } = await computed([wallet], { from, to: Number(timestamp), interval: 'day' })
  const lacking = points.filter(({ incomplete }) => incomplete.length > 0)
  expect(lacking.length).toBeGreaterThan(DAYS / 2)
  for (const { asOf, incomplete, networth } of lacking) {
    expect(incomplete).toEqual([{ chain: 'ethereum', reason: 'no-state', wallets: 1 }])
    expect(BigInt(asOf['ethereum']?.block ?? oldest)).toBeLessThan(oldest)
    expect(networth).not.toBe('N/A')
  }
  const span = { from: iso(before), to: iso(before + 2 * DAY) }
  const early = await service.client.getPortfolioSeries({ query: { addresses: wallet, ...span, waitForSync: true } })
  expect(early.computing).toBe(false)
  expect(early.points.map(({ networth, asOf, incomplete }) => [networth, asOf, incomplete])).toEqual([
    ['0', {}, []],
    ['0', {}, []],
  ])
})

it('has on Solana the days of the snapshots of the account', async () => {
  const midnight = 1_767_225_600
  const read = { chain: 'solana', wallet: SOLANA_WALLET, block: 390_000_000n, blockTime: midnight + 600, readAt: 0 }
  const usdc = { chain: 'solana', address: SOLANA_WALLET, symbol: 'x', name: 'x', decimals: 0, listed: true }
  const held = {
    holdings: [{ token: SOLANA_WALLET, amountRaw: 3n, receipt: false }],
    prices: [{ chain: 'solana', token: SOLANA_WALLET, usd: decimal('1.5'), source: 'pyth', confidence: 1 }],
    positions: [],
    tokens: [usdc],
    gaps: [],
  }
  const { rows } = await service.context.database.pool.query('select id from account')
  const day = { address: SOLANA_WALLET, date: '2026-01-01', first: null }
  await saveSnapshot(service.context.database.db, day, [{ ...read, ...held }], [BigInt(rows[0].id)])
  const { computing, points } = await seriesOf([SOLANA_WALLET], { from: midnight, to: midnight + DAY })
  expect([computing, points.map(({ networth, incomplete }) => [networth, incomplete])]).toEqual([
    false,
    [
      ['4.5', []],
      ['N/A', [{ chain: 'solana', reason: 'no-state', wallets: 1 }]],
    ],
  ])
})

it('refuses spans that are too long, and charges a credit for each address and thirty points', async () => {
  const [wallet = ''] = wallets
  const refused: [query: string, message: string][] = [
    ['&from=2026-03-01&to=2026-03-02T00:00:00Z', 'from: must be a time with a zone, such as 2026-03-01T12:00:00Z'],
    ['&from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z', 'to: must not be before from'],
    ['&from=2020-01-01T00:00:00Z&to=2026-03-01T00:00:00Z', 'to: must give at most 1000 points'],
    [
      '&from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z&interval=year',
      'interval: must be one of HOUR, DAY, WEEK, MONTH',
    ],
  ]
  for (const [query, message] of refused) {
    const answer = await service.get(`/v1/portfolio/series?addresses=${wallet}${query}`)
    expect([query, answer.status, answer.json()]).toEqual([query, 400, { error: 'Bad Request', message }])
  }
  const before = await service.client.getCredits()
  await seriesOf(wallets, { from: to - 59 * HOUR, to, interval: 'hour' })
  expect(await service.client.getCredits()).toBe(before - 2 * 2)
})
