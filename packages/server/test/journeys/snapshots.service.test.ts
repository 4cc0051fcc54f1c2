import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Portfolio, TokenOverviewItem } from '@coffer/contract'
import { devnetConfig, startDevnet } from '@coffer/devnet'
import { type Address, formatUnits, parseEther, parseUnits } from 'viem'
import { afterAll, expect, inject, it } from 'vitest'
import type { Env } from '../../src/config/env.ts'
import { startService, testClock } from '../harness.ts'
import { operator } from '../operator.ts'
import { callWith } from '../own-data.ts'
import { seededRandom } from '../random.ts'
import { rowsOf } from '../read-statement.ts'
import { type Fault, startRpcProxy } from '../rpc-proxy.ts'
import { sized } from '../sized.ts'
import { started } from '../started.ts'
import { createSnapshotTimes, LATER_MS } from './snapshot-times.ts'

/*
 * A month of simulated days of a wallet on two chains, half of one in `npm test`. Blocks set the chains' time, and a
 * replaced `coffer_now` the database's. Expected figures are recorded by hand: balances given before each midnight, and
 * its price.
 */

const DAY = 86_400
/** The repeated one is among the first twelve. */
const NIGHTS = sized({ small: 14, deep: 30 })
const clock = testClock()
/** Answer of a node that has pruned the state of a block. */
const NO_STATE = { code: -32000, message: 'missing trie node 00 (path ) state is not available' }
/** Not subscribed. */
const OUTSIDER: Address = `0x${'c3'.repeat(20)}`
const ADDRESS_A: Address = `0x${'a1'.repeat(20)}`
const ADDRESS_B: Address = `0x${'b2'.repeat(20)}`

/** Balances at a midnight, and the price of an ether then. */
type Night = { date: string; ethUsd: bigint; etherOf: Map<Address, bigint>; usdcOf: Map<Address, bigint> }

const nights = new Map<string, Night>()

const { setTime, look, settled, takeAll, failed, tryAgain, daysOf } = createSnapshotTimes({
  clock,
  context: () => service.context,
})
const dateOf = (unix: number) => new Date(unix * 1_000).toISOString().slice(0, 10)
const day = (n: number) => dateOf(start + n * DAY)

const random = seededRandom('snapshots')
const devnet = await started(startDevnet({ state: inject('devnetState'), args: ['--slots-in-an-epoch', '1'] }))
const proxy = await started(startRpcProxy(devnet.chains.base.url))
const service = await started(
  startService({
    devnet,
    config: devnetConfig(),
    endpoints: { ethereum: [devnet.chains.ethereum.url], base: [proxy.url] },
    clock,
  }),
)
const { timestamp } = await devnet.chains.ethereum.client.getBlock()
/** Midnight of the next day, independent of the run's real time, in Unix seconds. */
const start = Number(timestamp) - (Number(timestamp) % DAY) + DAY
await moveChainsTo(start + DAY / 2)
await service.context.database.pool.query("update account set plan = 'PRO'")
const folder = mkdtempSync(join(tmpdir(), 'coffer-snapshots-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function moveChainsTo(unix: number): Promise<void> {
  for (const chain of Object.values(devnet.chains)) {
    await chain.client.setNextBlockTimestamp({ timestamp: BigInt(unix) })
    await chain.client.mine({ blocks: 1 })
  }
}

/** Sets every feed's price and the balances shortly before midnight, and other ones just after. */
async function arrange(ethUsd: bigint): Promise<Pick<Night, 'etherOf' | 'usdcOf'>> {
  const etherOf = new Map<Address, bigint>()
  const usdcOf = new Map<Address, bigint>()
  for (const wallet of [ADDRESS_A, ADDRESS_B]) {
    let ether = 0n
    let usdc = 0n
    for (const { actions, addresses } of Object.values(devnet.chains)) {
      const amount = random.amount(1n, parseEther('50'))
      await actions.native.setBalance(wallet, amount)
      const units = random.amount(1n, parseUnits('100000', 6))
      await actions.erc20.setBalance(addresses.tokens.usdc, wallet, units)
      ether += amount
      usdc += units
    }
    etherOf.set(wallet, ether)
    usdcOf.set(wallet, usdc)
  }
  for (const { actions, addresses } of Object.values(devnet.chains)) {
    await actions.feeds.refresh()
    await actions.feeds.set(addresses.feeds.ethUsd, ethUsd)
  }
  return { etherOf, usdcOf }
}

/** Moves the chains past the midnight that begins day `n`, and some hours into it. */
async function passMidnight(n: number): Promise<void> {
  await reachMidnight(n)
  await leaveMidnight(n)
}

/** Up to the first block of the day, which is not final yet. */
async function reachMidnight(n: number): Promise<void> {
  const midnight = start + n * DAY
  await moveChainsTo(midnight - 120)
  const ethUsd = parseUnits(String(1_000 + random.index(4_000)), 8)
  const { etherOf, usdcOf } = await arrange(ethUsd)
  nights.set(day(n), { date: day(n), ethUsd, etherOf, usdcOf })
  // The first block of the day, on one chain in its very first second.
  await devnet.chains.ethereum.client.setNextBlockTimestamp({ timestamp: BigInt(midnight) })
  await devnet.chains.ethereum.client.mine({ blocks: 1 })
  await devnet.chains.base.client.setNextBlockTimestamp({ timestamp: BigInt(midnight + 1 + random.index(30)) })
  await devnet.chains.base.client.mine({ blocks: 1 })
}

async function leaveMidnight(n: number): Promise<void> {
  const midnight = start + n * DAY
  // A set balance belongs to the last block: one more must follow the counting one.
  await moveChainsTo(midnight + 60)
  await arrange(parseUnits('1', 8))
  await moveChainsTo(midnight + 3 * 3_600)
}

/** The first block of base in day `n`, searched from the end of the chain. */
async function firstBlockOf(n: number): Promise<bigint> {
  const { client } = devnet.chains.base
  for (let number = await client.getBlockNumber(); ; number -= 1n) {
    const { timestamp } = await client.getBlock({ blockNumber: number - 1n })
    if (Number(timestamp) < start + n * DAY) return number
  }
}

/** Environment of an operator's command for this service. */
function operatorEnv(): Env {
  const configFile = join(folder, 'coffer.json')
  writeFileSync(configFile, JSON.stringify(devnetConfig()))
  return {
    DATABASE_URL: service.databaseUrl,
    COFFER_CHAINS: 'ethereum,base',
    COFFER_LOCAL_CHAINS: 'ethereum,base',
    COFFER_RPC_ETHEREUM: devnet.chains.ethereum.url,
    COFFER_RPC_BASE: proxy.url,
    COFFER_CONFIG: configFile,
  }
}

/** Formats a figure of 10^-scale. */
const shown = (raw: bigint, scale: number) => formatUnits(raw, scale)

async function expectNight(wallet: Address, date: string): Promise<void> {
  const night = nights.get(date)
  if (!night) throw new Error(`nothing is known of ${date}`)
  const ether = night.etherOf.get(wallet) ?? 0n
  const usdc = night.usdcOf.get(wallet) ?? 0n
  // Ether has 18 decimals and its price 8. USDC has 6 and is worth a dollar.
  const worth = ether * night.ethUsd + usdc * 10n ** 20n
  const [portfolio] = (await service.get(`/v1/historical?addresses=${wallet}&date=${date}`)).json() as Portfolio[]
  expect(portfolio).toMatchObject({ address: wallet, networth: shown(worth, 26), incomplete: [] })
  expect(dateOf(Number(portfolio?.lastUpdated) / 1_000)).toBe(date)
  for (const { timestamp } of Object.values(portfolio?.asOf ?? {})) expect(timestamp.slice(0, 10)).toBe(date)
  const items = (await service.get(`/v1/token-overview?addresses=${wallet}&date=${date}`)).json() as TokenOverviewItem[]
  const value = { ETH: shown(ether * night.ethUsd, 26), USDC: shown(usdc, 6) }
  const found = Object.fromEntries(items.map((item) => [item.symbol, item]))
  expect(found['ETH']).toMatchObject({ balance: shown(ether, 18), price: shown(night.ethUsd, 8), value: value.ETH })
  expect(found['USDC']).toMatchObject({ balance: shown(usdc, 6), price: '1', value: value.USDC })
  expect(items).toHaveLength(2)
  const millionths = items.reduce((total, { percentage }) => total + Math.round(Number(percentage) * 1_000_000), 0)
  expect(millionths).toBe(100_000_000)
}

async function expectNights(date: string): Promise<void> {
  for (const wallet of [ADDRESS_A, ADDRESS_B]) await expectNight(wallet, date)
}

/** Runs all jobs `late` seconds into day `n`, until no work is left. */
const takeAt = (n: number, late: number) => takeAll(start + n * DAY + late)

it('subscribes both wallets for 2,400 credits and takes their first snapshots at once', async () => {
  const now = Number((await devnet.chains.ethereum.client.getBlock()).timestamp)
  const ethUsd = parseUnits('2500', 8)
  nights.set(day(0), { date: day(0), ethUsd, ...(await arrange(ethUsd)) })
  await setTime(now)
  const before = await service.client.getCredits()
  const { subscriptions } = await service.client.subscribeSnapshot({
    body: { addresses: [{ address: ADDRESS_A, description: 'Treasury' }, { address: ADDRESS_B }] },
  })
  expect(subscriptions.map(({ credits }) => credits)).toEqual([1_200, 1_200])
  expect(before - (await service.client.getCredits())).toBe(2_400)
  await settled()
  for (const wallet of [ADDRESS_A, ADDRESS_B]) {
    expect(await daysOf(wallet)).toEqual([day(0)])
    await expectNight(wallet, day(0))
  }
})

it('takes each night once, whatever clocks, processes and stops do', async () => {
  const workers = [service.context, await service.startWorker()]
  // Nights without a running service. It catches up later.
  const stopped = new Set([4, 5, 6, 13, 20, 21])
  for (let n = 1; n <= NIGHTS; n += 1) {
    await passMidnight(n)
    if (stopped.has(n)) continue
    const now = start + n * DAY + 3 * 3_600
    // A clock that is days ahead requests blocks that do not exist yet, and one that is days behind finds nothing new.
    if (n % 7 === 2)
      for (const astray of [now + 9 * DAY, now - 3 * DAY]) {
        await takeAll(astray, workers)
      }
    await takeAll(now, workers)
    expect(await daysOf(ADDRESS_A)).toEqual(Array.from({ length: n + 1 }, (_, before) => day(before)))
  }
  expect(await daysOf(ADDRESS_B)).toEqual(await daysOf(ADDRESS_A))
  for (let n = 0; n <= NIGHTS; n += 1) {
    await expectNights(day(n))
  }
  const { rows } = await service.context.database.pool.query('select count(*)::int as n from wallet_snapshot')
  expect(rows).toEqual([{ n: 2 * (NIGHTS + 1) }])
})

it('takes the same snapshot again of the same block', async () => {
  const { pool } = service.context.database
  const ofDay = (query: string) => pool.query(`${query} where address = $1 and date = $2`, [ADDRESS_A, day(12)])
  const bytes = async () => (await ofDay('select reads::text as text from wallet_snapshot')).rows
  const before = await bytes()
  for (const table of ['account_snapshot', 'wallet_snapshot']) await ofDay(`delete from ${table}`)
  await pool.query('update snapshot_subscription set next_date = $1', [day(1)])
  await look()
  await settled()
  expect(await bytes()).toEqual(before)
  await expectNight(ADDRESS_A, day(12))
})

it('has 404 for days without a snapshot, and for those to come', async () => {
  for (const date of [day(-1), day(NIGHTS + 1), '2020-02-29', '9999-12-31']) {
    for (const path of ['historical', 'token-overview']) {
      const answer = await service.get(`/v1/${path}?addresses=${ADDRESS_A}&date=${date}`)
      expect(answer.status).toBe(404)
      expect(answer.json()).toEqual({ error: 'Not Found', message: expect.any(String) })
    }
  }
})

it('keeps nothing that is not whole, whatever a node does, and takes it once the node is well', async () => {
  await passMidnight(NIGHTS + 1)
  await setTime(start + (NIGHTS + 1) * DAY + 3 * 3_600)
  const faults: Fault[] = [
    { error: { code: -32000, message: 'internal error' } },
    { raw: { status: 502, body: '<html>bad gateway</html>' } },
    { socket: 'reset' },
    { answer: (envelope) => ({ ...envelope, result: '0x' }) },
    { answer: (envelope) => ({ ...envelope, result: `0x${'00'.repeat(5_000)}` }) },
    { error: NO_STATE },
  ]
  for (const fault of faults) {
    proxy.reset()
    proxy.add({ when: ({ method }) => method === 'eth_call', fault })
    await look()
    await failed(day(NIGHTS + 1), () => proxy.calls().filter(({ method }) => method === 'eth_call').length)
    expect(await daysOf(ADDRESS_A)).not.toContain(day(NIGHTS + 1))
    clock.advance(30 * LATER_MS)
    await tryAgain()
  }
  proxy.reset()
  await settled()
  // Jobs with too many attempts are created again, because the day is still missing.
  await look()
  await settled()
  await expectNights(day(NIGHTS + 1))
})

it('answers for several wallets in their order, or for none where one has no snapshot', async () => {
  const of = (wallets: string) => service.get(`/v1/historical?addresses=${wallets}&date=${day(NIGHTS + 1)}`)
  const [one, other] = [await of(ADDRESS_A), await of(ADDRESS_B)].map(({ json }) => json() as Portfolio[])
  const both = (await of(`${ADDRESS_B},${ADDRESS_A}`)).json()
  expect(both).toEqual([...(other ?? []), ...(one ?? [])])
  const before = await service.client.getCredits()
  const { status, json } = await of(`${ADDRESS_A},${OUTSIDER}`)
  const message = `There is no snapshot of ${OUTSIDER} on ${day(NIGHTS + 1)}`
  expect([status, json()]).toEqual([404, { error: 'Not Found', message }])
  expect(await service.client.getCredits()).toBe(before)
})

it('exports a day as a printable statement, from its snapshots, for all wallets or none', async () => {
  const of = (wallets: string) => service.get(`/v1/holdings/export?addresses=${wallets}&date=${day(NIGHTS + 1)}`)
  const past = await service.client.getHistorical({
    query: { addresses: [ADDRESS_B, ADDRESS_A], date: day(NIGHTS + 1) },
  })
  const before = await service.client.getCredits()
  const { status, text, headers } = await of(`${ADDRESS_B},${ADDRESS_A}`)
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(headers.get('content-disposition')).toBe(`attachment; filename="holdings-${day(NIGHTS + 1)}.html"`)
  expect(headers.get('content-security-policy')).toBe("sandbox; frame-ancestors 'none'")
  expect(await service.client.getCredits()).toBe(before - 10)
  const chains = rowsOf(text, 'chains').filter(([name]) => name !== 'Chain')
  const ofWallet = ({ networth, asOf, chains: shown }: Portfolio) => [
    ...Object.entries(asOf).map(([chain, { block, timestamp }]) => [
      ...[expect.any(String), block, `${timestamp.slice(0, 19).replace('T', ' ')} UTC`],
      ...[shown[chain]?.value ?? '0', expect.stringMatching(/^[\d,]+\.\d\d$/)],
    ]),
    ['Sum', networth, expect.stringMatching(/^[\d,]+\.\d\d$/)],
  ]
  expect(chains).toEqual(past.flatMap(ofWallet))
  const held = past.flatMap(({ assetByProtocols }) => Object.values(assetByProtocols).flatMap(({ assets }) => assets))
  const lines = rowsOf(text, 'lines').filter(([name]) => name !== 'Asset')
  expect(lines.map(([, , balance, , value]) => [balance, value])).toEqual(
    held.map(({ balance, value }) => [balance, value]),
  )
  const refused = await of(`${ADDRESS_A},${OUTSIDER}`)
  const message = `There is no snapshot of ${OUTSIDER} on ${day(NIGHTS + 1)}`
  expect([refused.status, refused.json()]).toEqual([404, { error: 'Not Found', message }])
  expect(await service.client.getCredits()).toBe(before - 10)
})

it('says why a day has none when its state is gone, and back-fills it from a node that has it', async () => {
  await passMidnight(NIGHTS + 2)
  await passMidnight(NIGHTS + 3)
  await setTime(start + (NIGHTS + 3) * DAY + 3 * 3_600)
  // The node has pruned everything except the last day.
  const block = await firstBlockOf(NIGHTS + 3)
  const isOld = ([, at]: unknown[]) => typeof at === 'string' && at.startsWith('0x') && BigInt(at) < block
  proxy.add({ when: ({ method, params }) => method === 'eth_call' && isOld(params), fault: { error: NO_STATE } })
  clock.advance(30 * LATER_MS)
  await look()
  await settled()
  expect((await service.get(`/v1/historical?addresses=${ADDRESS_A}&date=${day(NIGHTS + 2)}`)).status).toBe(404)
  await expectNight(ADDRESS_A, day(NIGHTS + 3))
  const env = operatorEnv()
  const owner = operator(env)
  const listed = await owner.admin('snapshot', 'list', '--address', ADDRESS_A)
  const gap = { account: '1', date: day(NIGHTS + 2), state: 'gap', chain: 'base', reason: 'no-state' }
  expect(listed.slice(-2)).toEqual([gap, { account: '1', date: day(NIGHTS + 3), state: 'taken' }])
  const archive = operator({ ...env, COFFER_RPC_BASE: devnet.chains.base.url })
  const days = ['--from', day(NIGHTS + 1), '--to', day(NIGHTS + 2)]
  const filled = await archive.admin('snapshot', 'backfill', '--address', ADDRESS_A, ...days)
  expect(filled).toEqual([
    { date: day(NIGHTS + 1), outcome: 'there already' },
    { date: day(NIGHTS + 2), outcome: 'taken' },
  ])
  await expectNight(ADDRESS_A, day(NIGHTS + 2))
})

it('reads the first block of the day before its state is gone, and believes it once it is final', async () => {
  proxy.reset()
  await reachMidnight(NIGHTS + 4)
  await takeAt(NIGHTS + 4, 60)
  expect(await daysOf(ADDRESS_A)).not.toContain(day(NIGHTS + 4))
  await leaveMidnight(NIGHTS + 4)
  proxy.add({ when: ({ method }) => method === 'eth_call', fault: { error: NO_STATE } })
  await takeAt(NIGHTS + 4, 3 * 3_600)
  await expectNights(day(NIGHTS + 4))
})

it('reads again where the first block of the day was replaced', async () => {
  proxy.reset()
  await reachMidnight(NIGHTS + 5)
  await takeAt(NIGHTS + 5, 60)
  const { client, actions, addresses } = devnet.chains.base
  await client.request({ method: 'anvil_rollback' as never, params: [1] as never })
  const more = parseUnits('77', 6)
  const night = nights.get(day(NIGHTS + 5))
  for (const wallet of [ADDRESS_A, ADDRESS_B]) {
    await actions.erc20.mint(addresses.tokens.usdc, wallet, more)
    night?.usdcOf.set(wallet, (night.usdcOf.get(wallet) ?? 0n) + more)
  }
  await client.setNextBlockTimestamp({ timestamp: BigInt(start + (NIGHTS + 5) * DAY + 40) })
  await client.mine({ blocks: 1 })
  await leaveMidnight(NIGHTS + 5)
  await takeAt(NIGHTS + 5, 3 * 3_600)
  await expectNights(day(NIGHTS + 5))
})

it('is whole without a protocol that was not all there yet, for who had nothing in it', async () => {
  const { client, addresses } = devnet.chains.ethereum
  const address = addresses.compoundV2.comptroller
  const bytecode = (await client.getCode({ address })) ?? '0x'
  await client.setCode({ address, bytecode: '0x' })
  await passMidnight(NIGHTS + 6)
  await client.setCode({ address, bytecode })
  await client.mine({ blocks: 5 })
  await takeAt(NIGHTS + 6, 3 * 3_600)
  await expectNights(day(NIGHTS + 6))
})

it('serves what it has when the subscription is over, and takes no more', async () => {
  const { pool } = service.context.database
  await pool.query('update snapshot_subscription set expires_at = to_timestamp($1)', [start + (NIGHTS + 7) * DAY])
  await passMidnight(NIGHTS + 7)
  await setTime(start + (NIGHTS + 7) * DAY + 3 * 3_600)
  proxy.reset()
  await look()
  await settled()
  expect((await daysOf(ADDRESS_A)).at(-1)).toBe(day(NIGHTS + 6))
  await expectNight(ADDRESS_A, day(NIGHTS + 6))
  const lite = await service.newKey(10)
  const overview = `/v1/token-overview?addresses=${ADDRESS_A}&date=${day(NIGHTS + 6)}`
  const ask = callWith(service.url, lite)
  expect(await ask('GET', overview)).toEqual({ status: 401, body: { error: 'Unauthorized', message: 'Unauthorized' } })
  // Another account sees none of it.
  const foreign = await ask('GET', `/v1/historical?addresses=${ADDRESS_A}&date=${day(NIGHTS + 6)}`)
  expect(foreign.status).toBe(404)
})
