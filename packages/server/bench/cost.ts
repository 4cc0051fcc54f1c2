// Cost per wallet of reading many: requests, calls, bytes, CPU of the service and wall time. Cold: first reads. Warm:
// at a later block. Includes background work, such as the search for unlisted assets. Both chains are local: Ethereum
// has the published token lists and the demonstration's protocols, Solana has wallets like the demonstration's. Exits 1
// if a target is missed.
// `cost.ts [--distance 100] [--chain ethereum|solana] [--most 1000] [--seed <n>]`: `--distance` is the node's latency
// in ms per request, `--most` limits concurrent wallets.
// `cost.ts --night <wallets>`: cost of that many snapshots on Ethereum instead.
// `cost.ts --series <days>`: cost of the net worth of 1, 10 and 100 wallets on that many days instead.
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openShowcase, startDevnet, writeDemoConfig } from '@coffer/devnet'
import { startSolanaDemo } from '@coffer/devnet/solana'
import { createTokenCatalog } from '../src/catalog/token-catalog.ts'
import type { Database } from '../src/db/database.ts'
import { createAccount } from '../src/features/accounts/accounts.ts'
import { WALLETS_AT_ONCE } from '../src/features/snapshots/nights.ts'
import { randomOf } from '../test/random-of.ts'
import { benchOverDatabase } from './bench-database.ts'
import { costConfig } from './cost-config.ts'
import { type CostReader, type Measured, startCostReader } from './cost-measure.ts'
import { openSolanaCostWallets } from './cost-solana-wallets.ts'
import { type CostFigures, figuresOf, HEADING, missedBy, type Promised, rowOf } from './cost-table.ts'
import { type CostWallet, openCostWallets } from './cost-wallets.ts'

/** Several sets: single wallets differ much. */
const SIZES = [
  { size: 1, rounds: 20 },
  { size: 10, rounds: 2 },
  { size: 100, rounds: 1 },
  { size: 1_000, rounds: 1 },
]
const MOST_ON_SOLANA = 100
/** Warm-up: lists protocols and runs the code. */
const FIRST = 10
const DEMONSTRATION = 'the demonstration’s wallet'
const PROMISES: Readonly<Record<string, readonly Promised[]>> = {
  ethereum: [
    { what: '100', state: 'cold', requests: 3, kbUp: 20, cpuMs: 12 },
    { what: '100', state: 'warm', requests: 0.5, kbUp: 10, cpuMs: 8 },
  ],
  solana: [
    { what: DEMONSTRATION, state: 'warm', requests: 8, kb: 80 },
    { what: '100', state: 'warm', requests: 1 },
  ],
}
const DAY_SECONDS = 86_400
const BLOCKS_TO_FINAL = 100
/** Non-final blocks are checked again after some seconds. */
const LOOK_MS = 1_000

const { values: options } = parseArgs({
  options: {
    distance: { type: 'string', default: '100' },
    chain: { type: 'string' },
    most: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    night: { type: 'string' },
    series: { type: 'string' },
  },
})
const distanceMs = Number(options.distance)
const random = randomOf(Number(options.seed))
const folder = mkdtempSync(join(tmpdir(), 'coffer-cost-'))

/** `later` adds a block. */
type Bench = {
  reader: CostReader
  create(count: number): Promise<CostWallet[]>
  later(): Promise<unknown>
  known?: CostWallet
}

async function measure(
  what: string,
  { reader, later }: Bench,
  sets: AsyncIterable<CostWallet[]>,
): Promise<CostFigures[]> {
  const cold: Measured[] = []
  const warm: Measured[] = []
  for await (const wallets of sets) {
    cold.push(await reader.measure(wallets))
    await later()
    warm.push(await reader.measure(wallets))
    await reader.check(wallets)
  }
  const rows = [figuresOf(what, 'cold', cold), figuresOf(what, 'warm', warm)]
  for (const row of rows) console.log(rowOf(row))
  if (cold.length > 1) console.log(tripsOf(cold))
  return rows
}

function tripsOf(cold: readonly Measured[]): string {
  const byTrips = Map.groupBy(cold, ({ answered }) => answered.trips)
  const shares = [...byTrips].toSorted(([one], [other]) => one - other)
  return `trips until answered, cold: ${shares.map(([trips, sets]) => `${trips} for ${sets.length}`).join(', ')}`
}

async function* setsOf(bench: Bench, size: number, rounds: number): AsyncIterable<CostWallet[]> {
  for (let round = 0; round < rounds; round += 1) yield await bench.create(size)
}

async function* oneOf(wallet: CostWallet): AsyncIterable<CostWallet[]> {
  yield [wallet]
}

async function measureChain(chain: string, bench: Bench, most: number): Promise<string[]> {
  console.log(`${chain}, by wallet; wallets at a time:\n${HEADING}`)
  const { reader, create } = bench
  await reader.measure(await create(FIRST))
  const rows = bench.known ? await measure(DEMONSTRATION, bench, oneOf(bench.known)) : []
  for (const { size, rounds } of SIZES.filter(({ size }) => size <= most)) {
    rows.push(...(await measure(size.toLocaleString('en'), bench, setsOf(bench, size, rounds))))
  }
  return missedBy(rows, PROMISES[chain] ?? []).map((missed) => `${chain}, ${missed}`)
}

async function onEthereum<T>(
  databaseUrl: string,
  work: (bench: Bench, devnet: Awaited<ReturnType<typeof startDevnet>>) => Promise<T>,
): Promise<T> {
  await using opened = new AsyncDisposableStack()
  const devnet = opened.adopt(await startDevnet(), ({ stop }) => stop())
  const chain = devnet.chains.ethereum
  const showcase = await openShowcase(chain)
  await devnet.refreshFeeds()
  const configFile = writeDemoConfig(folder, { wallet: { airdrops: [] } }, showcase)
  const { chains, tokens } = costConfig('ethereum', chain.url, configFile)
  const listed = createTokenCatalog({ chains, configTokens: tokens }).list('ethereum')
  const addresses = listed.map(({ address }) => address)
  const create = await openCostWallets(chain, addresses, random)
  const opening = { databaseUrl, chain: 'ethereum', configFile }
  const reader = opened.adopt(await startCostReader(chain.url, distanceMs, opening), ({ stop }) => stop())
  return await work({ reader, create, later: () => chain.client.mine({ blocks: 1 }) }, devnet)
}

async function onSolana<T>(databaseUrl: string, work: (bench: Bench) => Promise<T>): Promise<T> {
  await using opened = new AsyncDisposableStack()
  const demo = opened.adopt(await startSolanaDemo(), ({ stop }) => stop())
  const create = await openSolanaCostWallets(demo, random)
  const opening = { databaseUrl, chain: 'solana', configFile: writeDemoConfig(folder, demo) }
  const reader = opened.adopt(await startCostReader(demo.url, distanceMs, opening), ({ stop }) => stop())
  const { address, tokens, positions } = demo.wallet
  const known = {
    ...{ address, tokens: Object.values(tokens).map(({ mint }) => mint) },
    positions: Object.values(positions).length,
  }
  const later = () => {
    demo.chain.moveTo()
    return demo.refreshPrices()
  }
  return await work({ reader, create, known, later })
}

/** Reads at the day's first block, which counts once final. */
async function measureNight(database: Database, url: string, count: number): Promise<string[]> {
  const { id: accountId } = await createAccount(database.db, {
    ...{ name: 'bench', plan: 'PRO', entitlements: ['portfolio'], credits: 0 },
  })
  return onEthereum(url, async ({ reader, create }, { chains, refreshFeeds }) => {
    await reader.measure(await create(FIRST))
    const wallets = await create(count)
    const { client, travel } = chains.ethereum
    const { timestamp } = await client.getBlock()
    const midnight = (Math.floor(Number(timestamp) / DAY_SECONDS) + 1) * DAY_SECONDS
    await travel(midnight - Number(timestamp) - 60)
    await refreshFeeds()
    await travel(120)
    const order = { date: new Date(midnight * 1_000).toISOString().slice(0, 10), accountId, atOnce: WALLETS_AT_ONCE }
    const early = await reader.night(order, wallets)
    await client.mine({ blocks: BLOCKS_TO_FINAL })
    const [first, ...others] = wallets
    if (!first) throw new Error('a night of no wallets')
    while ((await reader.night(order, [first])).taken === 0) await wait(LOOK_MS)
    const final = await reader.night(order, others)
    console.log(`a night of ${count} wallets on ethereum, by wallet, ${WALLETS_AT_ONCE} at a time:\n${HEADING}`)
    console.log(rowOf(figuresOf('at the first block of the day', 'cold', [early])))
    console.log(rowOf(figuresOf('once it is final', 'cold', [final])))
    if (early.taken !== 0 || final.taken !== others.length) throw new Error('not all snapshots were taken')
    return []
  })
}

/** One block a day. */
async function measureSeries(url: string, days: number): Promise<string[]> {
  return onEthereum(url, async ({ reader, create }, { chains }) => {
    await reader.measure(await create(FIRST))
    const sets = [await create(1), await create(10), await create(100)]
    const { client } = chains.ethereum
    const { timestamp } = await client.getBlock()
    await client.mine({ blocks: days + BLOCKS_TO_FINAL, interval: DAY_SECONDS })
    const times = Array.from({ length: days }, (_, day) => Number(timestamp) + day * DAY_SECONDS)
    console.log(`net worth on ${days} days, ethereum, by wallet; wallets at a time:\n${HEADING}`)
    for (const wallets of sets) {
      const size = String(wallets.length)
      console.log(rowOf(figuresOf(size, 'cold', [await reader.series(wallets, times)])))
      console.log(rowOf(figuresOf(size, 'warm', [await reader.series(wallets, times)])))
    }
    return []
  })
}

async function bench(database: Database, url: string): Promise<string[]> {
  const [cpu] = cpus()
  console.log(
    `seed ${random.seed}, a node ${distanceMs} ms away; ${cpu?.model} × ${cpus().length}, Node ${process.version}`,
  )
  if (options.night !== undefined) return measureNight(database, url, Number(options.night))
  if (options.series !== undefined) return measureSeries(url, Number(options.series))
  const most = Number(options.most)
  const missed: string[] = []
  if (options.chain !== 'solana') {
    missed.push(...(await onEthereum(url, (opened) => measureChain('ethereum', opened, most))))
  }
  if (options.chain !== 'ethereum') {
    const fewer = Math.min(most, MOST_ON_SOLANA)
    missed.push(...(await onSolana(url, (opened) => measureChain('solana', opened, fewer))))
  }
  return missed
}

try {
  await benchOverDatabase(bench)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
