// Latency of another account while the service classifies a wallet's junk tokens. Cached reads show how long the event
// loop is blocked. First reads are measured too.
// `flood.ts [--contracts 1000]`. Exits 1 if a target is missed.
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startDevnet } from '@coffer/devnet'
import { parseEther, toHex } from 'viem'
import type { Database } from '../src/db/database.ts'
import { createAccount } from '../src/features/accounts/accounts.ts'
import { createKey } from '../src/features/keys/keys.ts'
import { openPeppers } from '../src/features/keys/peppers.ts'
import { nodeAt } from '../test/local-node.ts'
import { testAddress } from '../test/test-tokens.ts'
import { benchOverDatabase } from './bench-database.ts'
import { median } from './median.ts'
import { type ServiceProcess, startServiceProcess } from './portfolio-service.ts'
import { startTrafficMeter, type Traffic, type TrafficMeter } from './traffic-meter.ts'

const PROMISED_P99_MS = 100
const PROMISED_RATIO = 2
const PING_MS = 10
const QUIET_PINGS = 300
const COLD_READS = 5
/** Contracts checked per wallet and day. */
const MOST_A_DAY = 2_000
const WAITED_MS = 300_000
/** 300,000 gas each: a block of 30 million. */
const PER_BLOCK = 100

const { values: options } = parseArgs({ options: { contracts: { type: 'string', default: '1000' } } })
const contracts = Number(options.contracts)
const known = testAddress(71, 0)
const flooded = testAddress(71, 1)
const maker = testAddress(71, 2)

/** Logs one Transfer to the wallet. Answers 18 to `decimals`, else `JUNK`. */
function junkCode(): `0x${string}` {
  const runtime = '60003560e01c63313ce56714601f57634a554e4b60e01b60005260206000f35b601260005260206000f3'
  const transfer = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  const log = `600160005273${flooded.slice(2)}60007f${transfer}60206000a3`
  const size = (runtime.length / 2).toString(16).padStart(2, '0')
  const at = (log.length / 2 + 12).toString(16).padStart(2, '0')
  return `0x${log}60${size}60${at}60003960${size}6000f3${runtime}`
}

/** Requests that the overloaded service refused. */
let refused = 0

async function get(service: ServiceProcess, key: string, path: string): Promise<number> {
  const startedAt = performance.now()
  const response = await fetch(service.url + path, { headers: { authorization: `Bearer ${key}` } })
  await response.text()
  if (response.status === 503) refused += 1
  else if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
  return performance.now() - startedAt
}

let fresh = 100

const cached = (service: ServiceProcess, key: string) => get(service, key, `/v1/portfolio?addresses=${known}`)
const cold = (service: ServiceProcess, key: string) => {
  fresh += 1
  return get(service, key, `/v1/portfolio?addresses=${testAddress(71, fresh)}`)
}

/** Sends cached reads in sequence until `isOver`, and some first reads. */
async function watch(service: ServiceProcess, key: string, isOver: (pings: number) => Promise<boolean>) {
  refused = 0
  const pings: number[] = []
  const colds: number[] = []
  const firstReads = (async () => {
    for (let i = 0; i < COLD_READS; i += 1) colds.push(await cold(service, key))
  })()
  while (!(await isOver(pings.length))) {
    pings.push(await cached(service, key))
    await wait(PING_MS)
  }
  await firstReads
  const sorted = pings.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
  return { refused, pings: pings.length, p50: at(0.5), p99: at(0.99), max: at(1), cold: median(colds) }
}

const shown = ({ refused: shed, pings, p50, p99, max, cold: first }: Awaited<ReturnType<typeof watch>>) =>
  `${pings} cached reads: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, longest ${max.toFixed(0)} ms; first read ${first.toFixed(0)} ms; ${shed} refused`

const shownTraffic = ({ requests, bytesUp, bytesDown }: Traffic) =>
  `${requests} requests, ${(bytesUp / 1e6).toFixed(2)} MB up, ${(bytesDown / 1e6).toFixed(2)} MB down`

async function account(database: Database, name: string): Promise<string> {
  const terms = { name, plan: 'PRO', entitlements: ['portfolio'], credits: 1_000_000 } as const
  const { id } = await createAccount(database.db, terms)
  return (await createKey(database.db, await openPeppers(database.db, []), { accountId: id, name })).key
}

async function countOf(database: Database, table: 'wallet_token' | 'wallet_read'): Promise<number> {
  const { rows } = await database.pool.query(`select count(*)::int as n from ${table} where wallet = $1`, [flooded])
  return (rows as { n: number }[])[0]?.n ?? 0
}

async function plant(url: string): Promise<void> {
  const node = nodeAt(url)
  const send = { from: maker, data: junkCode(), gas: toHex(300_000), gasPrice: '0x0' }
  await node.send('anvil_setBalance', maker, toHex(parseEther('100')))
  await node.send('evm_setAutomine', false)
  for (let i = 0; i < contracts; i += PER_BLOCK) {
    for (let j = i; j < Math.min(i + PER_BLOCK, contracts); j += 1) await node.send('eth_sendTransaction', send)
    await node.send('evm_mine')
  }
  await node.send('evm_setAutomine', true)
}

async function bench(database: Database, url: string, meter: TrafficMeter): Promise<string[]> {
  const service = await startServiceProcess(url, '', meter.url, 'ethereum', { COFFER_PORTAL: 'off' })
  try {
    const [honest, attacker] = [await account(database, 'honest'), await account(database, 'attacker')]
    await database.pool.query('update account set rate_limit_default = 1000000, rate_limit_portfolio = 1000000')
    await get(service, honest, `/v1/portfolio?addresses=${known}&waitForSync=true`)
    await service.quiet()
    const quiet = await watch(service, honest, async (pings) => pings >= QUIET_PINGS)
    await service.quiet()
    const before = await service.usage()
    const wanted = Math.min(contracts, MOST_A_DAY)
    meter.reset()
    await get(service, attacker, `/v1/portfolio?addresses=${flooded}`)
    const until = performance.now() + WAITED_MS
    const isOver = async () => (await countOf(database, 'wallet_token')) >= wanted || performance.now() > until
    const flood = await watch(service, honest, async (pings) => pings % 10 === 0 && (await isOver()))
    const found = await countOf(database, 'wallet_token')
    await service.quiet()
    const after = await service.usage()
    const sent = meter.traffic()
    meter.reset()
    const again = await get(service, attacker, `/v1/portfolio?addresses=${flooded}&waitForSync=true`)
    await service.quiet()
    const last = await service.usage()
    const next = meter.traffic()
    console.log(`${contracts} junk tokens, ${found} asked`)
    console.log(`  without: ${shown(quiet)}`)
    console.log(`  flood:   ${shown(flood)}`)
    console.log(
      `  ${((after.cpuMs - before.cpuMs) / 1000).toFixed(1)} s of CPU; ${(after.rssBytes / 1e6).toFixed(0)} MB; ${shownTraffic(sent)}`,
    )
    console.log(
      `  the wallet's next read: ${again.toFixed(0)} ms, ${(last.cpuMs - after.cpuMs).toFixed(0)} ms of CPU; ${shownTraffic(next)}`,
    )
    return [
      ...(flood.p99 <= PROMISED_P99_MS ? [] : [`p99 of cached reads over ${PROMISED_P99_MS} ms`]),
      ...(flood.p50 <= quiet.p50 * PROMISED_RATIO ? [] : ['cached reads take more than twice as long']),
      ...(flood.cold <= quiet.cold * PROMISED_RATIO ? [] : ['first reads take more than twice as long']),
    ]
  } finally {
    await service.stop()
  }
}

const devnet = await startDevnet()
try {
  await plant(devnet.chains.ethereum.url)
  const meter = await startTrafficMeter(devnet.chains.ethereum.url, 0)
  try {
    await benchOverDatabase((database, url) => bench(database, url, meter))
  } finally {
    await meter.stop()
  }
} finally {
  await devnet.stop()
}
