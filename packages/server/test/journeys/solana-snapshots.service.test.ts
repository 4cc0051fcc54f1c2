import type { Portfolio, TokenOverviewItem } from '@coffer/contract'
import { devnetConfig, startDevnet } from '@coffer/devnet'
import { startSolanaDevnet } from '@coffer/devnet/solana'
import { formatUnits, parseEther, parseUnits } from 'viem'
import { expect, inject, it } from 'vitest'
import { startService, testClock } from '../harness.ts'
import { operator } from '../operator.ts'
import { callWith } from '../own-data.ts'
import { startPriceServer } from '../price-server.ts'
import { seededRandom } from '../random.ts'
import { type Fault, startRpcProxy } from '../rpc-proxy.ts'
import { started } from '../started.ts'
import { createSnapshotTimes, LATER_MS } from './snapshot-times.ts'

/*
 * Simulated days of wallets on the local Solana chain, which serves no past states. The test moves the chain's time,
 * and replaces `coffer_now` of the database. Expected figures are recorded here: changes by real transactions before
 * each midnight, and its prices.
 */

const DAY = 86_400
const HOUR = 3_600
const SOL = 10n ** 9n
const EVM_WALLET = `0x${'e1'.repeat(20)}` as const
const READS = new Set(['getMultipleAccounts', 'getTokenAccountsByOwner', 'getProgramAccounts'])
/** A read counts this long after midnight. */
const COUNTS_FOR = HOUR
const clock = testClock()
const { setTime, look, settled, takeAll, failed, jobStates, daysOf } = createSnapshotTimes({
  clock,
  context: () => service.context,
})

/** In lamports and millionths of a dollar. `staked`: in the wallet's stake account. */
type Held = { lamports: bigint; staked: bigint; dollars: bigint }
/** Balances at a midnight, and the price of a SOL then, in 10^-8 USD. */
type Night = { solUsd: bigint; held: Map<string, Held> }

const held = new Map<string, Held>()
const nights = new Map<string, Night>()

const dateOf = (unix: number) => new Date(unix * 1_000).toISOString().slice(0, 10)
const midnightOf = (n: number) => start + n * DAY
const day = (n: number) => dateOf(midnightOf(n))
const move = (unix: number) => devnet.chain.setTime(BigInt(unix))

const random = seededRandom('solana snapshots')
const evm = await started(startDevnet({ state: inject('devnetState') }))
const { client } = evm.chains.ethereum
const { timestamp } = await client.getBlock()
/** Midnight of the next day, independent of the run's real time, in Unix seconds. */
const start = Number(timestamp) - (Number(timestamp) % DAY) + DAY
await client.setNextBlockTimestamp({ timestamp: BigInt(start + DAY / 2) })
await client.mine({ blocks: 1 })
await evm.chains.ethereum.actions.feeds.refresh()
const devnet = await started(startSolanaDevnet({ unixTime: BigInt(start + DAY / 4) }))
/** The first also has a stake. */
const wallets = [await devnet.keypair('snapshots a'), await devnet.keypair('snapshots b')] as const
const addresses = [wallets[0].address, wallets[1].address] as const
const dollar = await devnet.actions.mints.create(await devnet.keypair('snapshots dollar'), { decimals: 6 })
await endow()
const config = devnetConfig()
const token = { chain: 'solana', address: dollar.mint, symbol: 'DOLLAR', name: 'Dollar', decimals: 6 }
const prices = await started(startPriceServer())
const proxy = await started(startRpcProxy(devnet.url))
const service = await started(
  startService({
    config: { ...config, tokens: [...config.tokens, token] },
    endpoints: { ethereum: [evm.chains.ethereum.url], solana: [proxy.url] },
    env: { COFFER_PRICES: 'receipt,chainlink,defillama', COFFER_DEFILLAMA_URL: prices.url },
    clock,
  }),
)
await service.context.database.pool.query("update account set plan = 'PRO'")

/** Initial balances. The first wallet stakes a part. */
async function endow(): Promise<void> {
  const { sol, stake } = devnet.actions
  const staked = 7n * SOL + stake.reserve
  for (const { address } of wallets) {
    await sol.give(address, 100n * SOL)
    held.set(address, { lamports: 100n * SOL, staked: 0n, dollars: 0n })
  }
  const [owner] = wallets
  const account = await devnet.keypair('snapshots stake')
  await stake.create(owner, account, 7n * SOL, { feePayer: devnet.payer })
  held.set(owner.address, { lamports: 100n * SOL - staked, staked, dollars: 0n })
}

/** Real transactions that change each wallet's SOL and dollars. Another account pays the fees. */
async function trade(): Promise<void> {
  const { sol, tokens } = devnet.actions
  for (const wallet of wallets) {
    const { lamports, staked, dollars } = heldBy(wallet.address)
    const spent = random.amount(1n, lamports - 50n * SOL)
    await sol.transfer(wallet, devnet.payer.address, spent, { feePayer: devnet.payer })
    const given = random.amount(SOL, 90n * SOL)
    await sol.give(wallet.address, given)
    const minted = random.amount(2n, parseUnits('100000', 6))
    await tokens.mint(dollar, wallet.address, minted)
    const burnt = random.amount(1n, dollars + minted - 1n)
    await tokens.burn(dollar, wallet, burnt, { feePayer: devnet.payer })
    held.set(wallet.address, { lamports: lamports - spent + given, staked, dollars: dollars + minted - burnt })
  }
}

function heldBy(wallet: string): Held {
  const found = held.get(wallet)
  if (!found) throw new Error(`nothing is known of ${wallet}`)
  return found
}

/** Other holdings and prices, with which day `n` begins. */
async function arrange(n: number): Promise<void> {
  const solUsd = parseUnits(String(50 + random.index(200)), 8) + BigInt(random.index(10 ** 8))
  await trade()
  prices.prices.set('coingecko:solana', formatUnits(solUsd, 8))
  prices.prices.set(`solana:${dollar.mint}`, '1')
  nights.set(day(n), { solUsd, held: new Map(held) })
}

/** Moves the chain `late` seconds past the midnight that begins day `n`. */
async function passMidnight(n: number, late: number): Promise<void> {
  move(midnightOf(n) - 600)
  await arrange(n)
  move(midnightOf(n) + late)
}

/** Changes everything hours later, so the midnight's state cannot be read any more. */
async function leaveMidnight(n: number): Promise<void> {
  move(midnightOf(n) + 3 * HOUR)
  await trade()
  prices.prices.set('coingecko:solana', '1')
}

/** Runs all jobs at a time after a midnight, by every clock, until no work is left. */
async function takeAt(n: number, late: number): Promise<void> {
  await takeAll(midnightOf(n) + late)
}

const overviewPath = (wallet: string, date: string) => `/v1/token-overview?addresses=${wallet}&date=${date}`
const historicalPath = (wallet: string, date: string) => `/v1/historical?addresses=${wallet}&date=${date}`

async function historicalOf(wallet: string, date: string): Promise<Portfolio> {
  const answer = await service.get(historicalPath(wallet, date))
  expect(answer.status).toBe(200)
  const [portfolio] = answer.json() as Portfolio[]
  if (!portfolio) throw new Error('no portfolio')
  return portfolio
}

/** Expects the day's initial state, read within `within` seconds of its start. */
async function expectNight(wallet: string, date: string, { within = COUNTS_FOR } = {}): Promise<void> {
  const night = nights.get(date)
  const had = night?.held.get(wallet)
  if (!night || !had) throw new Error(`nothing is known of ${date}`)
  const lamports = had.lamports + had.staked
  // SOL has 9 decimals and its price 8; a dollar has 6.
  const worth = lamports * night.solUsd + had.dollars * 10n ** 11n
  const portfolio = await historicalOf(wallet, date)
  expect(portfolio).toMatchObject({ address: wallet, networth: formatUnits(worth, 17), incomplete: [] })
  const begins = Date.parse(`${date}T00:00:00Z`)
  const readAt = Date.parse(portfolio.asOf['solana']?.timestamp ?? '')
  expect(readAt).toBeGreaterThanOrEqual(begins)
  expect(readAt).toBeLessThanOrEqual(begins + within * 1_000)
  expect(Number(portfolio.lastUpdated)).toBe(readAt)
  await expectOverview(wallet, date, { lamports, had, solUsd: night.solUsd })
}

async function expectOverview(
  wallet: string,
  date: string,
  { lamports, had, solUsd }: { lamports: bigint; had: Held; solUsd: bigint },
): Promise<void> {
  const items = (await service.get(overviewPath(wallet, date))).json() as TokenOverviewItem[]
  const found = Object.fromEntries(items.map((item) => [item.symbol, item]))
  const value = formatUnits(lamports * solUsd, 17)
  expect(found['SOL']).toMatchObject({ balance: formatUnits(lamports, 9), price: formatUnits(solUsd, 8), value })
  const places = (found['SOL']?.protocolsDetailed ?? []).map(({ key, balance }): [string, string] => [key, balance])
  const staked: [string, string][] = had.staked > 0n ? [['native_stake', formatUnits(had.staked, 9)]] : []
  expect(new Map(places)).toEqual(new Map([['wallet', formatUnits(had.lamports, 9)], ...staked]))
  expect(found['DOLLAR']).toMatchObject({ balance: formatUnits(had.dollars, 6), price: '1' })
  expect(items).toHaveLength(2)
}

/** Expects a free answer that reports a day without a snapshot. */
async function expectGap(wallet: string, date: string): Promise<void> {
  const before = await service.client.getCredits()
  for (const path of [historicalPath(wallet, date), overviewPath(wallet, date)]) {
    const answer = await service.get(path)
    const message = `There is no snapshot of ${wallet} on ${date}`
    expect([answer.status, answer.json()]).toEqual([404, { error: 'Not Found', message }])
  }
  expect(await service.client.getCredits()).toBe(before)
}

async function gapsOf(wallet: string): Promise<unknown[]> {
  const { rows } = await service.context.database.pool.query(
    'select distinct date, chain, reason from snapshot_gap where address = $1 order by date',
    [wallet],
  )
  return rows
}

const gapOn = (n: number) => ({ date: day(n), chain: 'solana', reason: 'no-state' })
/** Numbers of days without a snapshot. */
const missed: number[] = []
const taken = (upTo: number) =>
  Array.from({ length: upTo + 1 }, (_, n) => n)
    .filter((n) => !missed.includes(n))
    .map(day)

it('subscribes wallets on Solana and on the EVM in one call, and takes their first snapshots at once', async () => {
  move(start + DAY / 2 - 60)
  await arrange(0)
  move(start + DAY / 2)
  await evm.chains.ethereum.actions.native.setBalance(EVM_WALLET, parseEther('3'))
  await setTime(start + DAY / 2)
  const before = await service.client.getCredits()
  const { subscriptions } = await service.client.subscribeSnapshot({
    body: {
      addresses: [{ address: addresses[0], description: 'Cold' }, { address: EVM_WALLET }, { address: addresses[1] }],
    },
  })
  expect(subscriptions.map(({ address, credits }) => [address, credits])).toEqual([
    [addresses[0], 1_200],
    [EVM_WALLET, 1_200],
    [addresses[1], 1_200],
  ])
  expect(before - (await service.client.getCredits())).toBe(3_600)
  await settled()
  for (const wallet of addresses) {
    expect(await daysOf(wallet)).toEqual([day(0)])
    await expectNight(wallet, day(0), { within: DAY })
  }
  const onEvm = await historicalOf(EVM_WALLET, day(0))
  expect(onEvm).toMatchObject({ address: EVM_WALLET, incomplete: [] })
  expect(Object.keys(onEvm.asOf)).toEqual(['ethereum'])
})

/**
 * Delay of the first run after the midnight of day `n`. Covers both ends of the allowed range, and nights without a
 * run.
 */
function latenessOf(n: number): number {
  const chosen = new Map([[1, 0], [2, COUNTS_FOR], ...[3, 7, 8].map((night): [number, number] => [night, 3 * HOUR])])
  return chosen.get(n) ?? random.index(COUNTS_FOR)
}

/** A clock that is days ahead requests days that the chain has not begun. One that is days behind finds nothing new. */
async function lookAstray(n: number, workers: Parameters<typeof look>[0]): Promise<void> {
  for (const astray of [midnightOf(n) + 9 * DAY, midnightOf(n) - 3 * DAY]) {
    await takeAll(astray, workers)
  }
}

it('takes each night once, near midnight, regardless of clocks and processes; a night without a process is a gap', async () => {
  const workers = [service.context, await service.startWorker()]
  for (let n = 1; n <= 12; n += 1) {
    const late = latenessOf(n)
    await passMidnight(n, late)
    if (n % 5 === 4) await lookAstray(n, workers)
    await takeAll(midnightOf(n) + late, workers)
    if (late > COUNTS_FOR) missed.push(n)
    expect(await daysOf(addresses[0])).toEqual(taken(n))
    await leaveMidnight(n)
    await takeAt(n, 3 * HOUR)
  }
  for (const wallet of addresses) {
    expect(await daysOf(wallet)).toEqual(taken(12))
    for (let n = 1; n <= 12; n += 1) await (missed.includes(n) ? expectGap : expectNight)(wallet, day(n))
    expect(await gapsOf(wallet)).toEqual(missed.map(gapOn))
  }
  const { rows } = await service.context.database.pool.query(
    "select count(*)::int as n from wallet_snapshot where address not like '0x%'",
  )
  // Two wallets, the first day and twelve nights except three.
  expect(rows).toEqual([{ n: 20 }])
})

it('answers the same figures twice, a credit each', async () => {
  const before = await service.client.getCredits()
  for (const path of [historicalPath(addresses[0], day(5)), overviewPath(addresses[0], day(5))]) {
    const [once, again] = [await service.get(path), await service.get(path)]
    expect([once.status, again.text]).toEqual([200, once.text])
  }
  expect(before - (await service.client.getCredits())).toBe(4)
  for (const date of [day(-1), day(13), '9999-12-31']) await expectGap(addresses[0], date)
})

/** Commitments of reads since the proxy's reset. */
function commitmentsRead(): Set<string> {
  const reads = proxy.calls().filter(({ method }) => READS.has(method))
  return new Set(reads.map(({ params }) => (params.at(-1) as { commitment: string }).commitment))
}

it('reads a night at a slot that is final, once for all accounts', async () => {
  const ask = callWith(service.url, await service.newKey(5_000))
  const asked = await ask('POST', '/v1/subscribe-snapshot', { addresses: [{ address: addresses[0] }] })
  expect(asked.status).toBe(200)
  await settled()
  await passMidnight(13, 20 * 60)
  proxy.reset()
  await takeAt(13, 20 * 60)
  expect(commitmentsRead()).toEqual(new Set(['finalized']))
  await leaveMidnight(13)
  await expectNight(addresses[0], day(13))
  const own = await service.get(historicalPath(addresses[0], day(13)))
  expect((await ask('GET', historicalPath(addresses[0], day(13)))).body).toEqual(own.json())
  // Days before its subscription are not its own.
  expect((await ask('GET', historicalPath(addresses[0], day(11)))).status).toBe(404)
  const { rows } = await service.context.database.pool.query(
    'select count(*)::int as n from wallet_snapshot where address = $1 and date = $2',
    [addresses[0], day(13)],
  )
  expect(rows).toEqual([{ n: 1 }])
})

it('takes the snapshot of a node that is back within the hour, and none of one that is back later', async () => {
  for (const [n, back] of [
    [14, 50 * 60],
    [15, COUNTS_FOR + 1],
  ] as const) {
    proxy.add({ fault: { socket: 'reset' } })
    await passMidnight(n, 30)
    await takeAt(n, 30)
    await takeAt(n, 20 * 60)
    for (const wallet of addresses) expect(await daysOf(wallet)).not.toContain(day(n))
    expect(await gapsOf(addresses[0])).not.toContainEqual(gapOn(n))
    proxy.reset()
    move(midnightOf(n) + back)
    clock.advance(30 * LATER_MS)
    await takeAt(n, back)
    await leaveMidnight(n)
  }
  missed.push(15)
  for (const wallet of addresses) {
    await expectNight(wallet, day(14))
    await expectGap(wallet, day(15))
    expect(await gapsOf(wallet)).toEqual(missed.map(gapOn))
  }
})

/** Failures, and their number of requests since the proxy's reset. */
const failures: [what: string, begin: () => void, asked: () => number][] = [
  ...(
    [
      ['getMultipleAccounts', { error: { code: -32000, message: 'internal error' } }],
      ['getTokenAccountsByOwner', { raw: { status: 502, body: '<html>bad gateway</html>' } }],
      ['getTokenAccountsByOwner', { answer: (envelope) => ({ ...envelope, result: { context: {}, value: [] } }) }],
      // A request of one protocol: native stake is searched for every wallet.
      ['getProgramAccounts', { error: { code: -32000, message: 'internal error' } }],
      ['getProgramAccounts', { socket: 'cut' }],
    ] satisfies [string, Fault][]
  ).map(([method, fault]): [string, () => void, () => number] => [
    `${method} that fails by ${Object.keys(fault)}`,
    () => proxy.add({ when: (call) => call.method === method, fault }),
    () => proxy.calls().filter((call) => call.method === method).length,
  ]),
  ['a source of prices that is out of order', () => prices.setBroken(true), () => prices.refused()],
]

it.each(failures)('keeps nothing that is not whole: %s', async (what, begin, asked) => {
  const n = 16 + failures.findIndex(([name]) => name === what)
  await passMidnight(n, 60)
  await setTime(midnightOf(n) + 60)
  begin()
  await look()
  await failed(day(n), asked)
  for (const wallet of addresses) expect(await daysOf(wallet)).not.toContain(day(n))
  proxy.reset()
  prices.setBroken(false)
  clock.advance(30 * LATER_MS)
  await takeAt(n, 120)
  await leaveMidnight(n)
  for (const wallet of addresses) await expectNight(wallet, day(n))
})

/** The night after those of the failures. */
const AFTER = 16 + failures.length

it.each([
  ['takes a first snapshot within the hour, though its day is over', AFTER, 52 * 60, true],
  ['has no first snapshot of a day that was over for longer', AFTER + 1, 52 * 60 + 1, false],
])('%s', async (_, n, back, isTaken) => {
  const subscribed = midnightOf(n) - 8 * 60
  const { address } = await devnet.keypair(`snapshots of ${n}`)
  await devnet.actions.sol.give(address, SOL)
  await passMidnight(n, -9 * 60)
  await setTime(subscribed)
  proxy.add({ fault: { socket: 'reset' } })
  const { subscriptions } = await service.client.subscribeSnapshot({ body: { addresses: [{ address }] } })
  expect(subscriptions[0]?.subscribedAt).toBe(new Date(subscribed * 1_000).toISOString())
  await expect.poll(() => jobStates(day(n - 1)), { interval: 50 }).toEqual(['retry'])
  proxy.reset()
  move(midnightOf(n) + back)
  clock.advance(30 * LATER_MS)
  await takeAt(n, back)
  await leaveMidnight(n)
  expect(await daysOf(address)).toEqual(isTaken ? [day(n - 1), day(n)] : [day(n)])
  if (!isTaken) await expectGap(address, day(n - 1))
  expect(await gapsOf(address)).toEqual(isTaken ? [] : [gapOn(n - 1)])
  for (const date of await daysOf(address)) expect(await historicalOf(address, date)).toMatchObject({ incomplete: [] })
  for (const wallet of addresses) await expectNight(wallet, day(n))
})

it('lists missing days for an operator, and says that they cannot be recovered', async () => {
  const { admin, refused } = operator({
    DATABASE_URL: service.databaseUrl,
    COFFER_CHAINS: 'solana',
    COFFER_LOCAL_CHAINS: 'solana',
    COFFER_RPC_SOLANA: devnet.url,
  })
  const listed = (await admin('snapshot', 'list', '--address', addresses[1])) as { date: string; state: string }[]
  expect(listed.filter(({ state }) => state === 'gap')).toEqual(
    missed.map((n) => ({ account: '1', ...gapOn(n), state: 'gap' })),
  )
  expect(listed.filter(({ state }) => state === 'missing')).toEqual([])
  const days = ['--from', day(15), '--to', day(15)]
  const sentence = await refused(['snapshot', 'backfill', '--address', addresses[1], ...days])
  expect(sentence).toMatch(/^--address is on a chain whose nodes keep no past states/)
  await expectGap(addresses[1], day(15))
})
