import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { sql } from 'kysely'
import type { BeaconPool } from '../../beacon/beacon-pool.ts'
import { nodeVersionRequest, syncingRequest } from '../../beacon/network-requests.ts'
import type { Chain } from '../../chains/chain.ts'
import type { ChainType } from '../../chains/chain-type.ts'
import type { RpcPool } from '../../chains/rpc/rpc-pool.ts'
import { openDatabase, SESSION_FORMATS } from '../../db/database.ts'
import type { Db } from '../../db/tables.ts'
import { formatDecimal, roundPrice } from '../../domain/decimal.ts'
import type { Clock } from '../../lib/clock.ts'
import { StartupError } from '../../lib/startup-error.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { askCoinRates, type UsdPerEach } from '../portfolio/conversion-rates.ts'
import type { Finding, Verdict } from './findings.ts'
import { judgePostgres, judgeVersion, NODE_VERSIONS } from './supported-versions.ts'

/** Only the host is shown: the URL may hold a key. */
type Examined<P> = { name: string; host: string; pool: P }

type Means = {
  endpoints: readonly (Examined<RpcPool> & { chain: Chain; chainType: ChainType })[]
  beaconNodes: readonly Examined<BeaconPool>[]
  db: Db
  replica: { host: string; connection: string; replicaUrl: string } | null
  dataDir: string
  sources: readonly string[]
  usdPerEach: UsdPerEach
  /** Rejects with `StartupError` if the master key or pepper is missing. */
  openSecrets(): Promise<unknown>
  clock: Clock
}

/** A head older than both is reported. */
const OLD_SECONDS = 120
const OLD_BLOCKS = 20
/** A head further ahead means that a clock is wrong. */
const AHEAD_SECONDS = 10
const LITTLE_DISK_BYTES = 5e9
const NO_DISK_BYTES = 5e8
const CLOCKS_APART_SECONDS = 5

export async function examine(means: Means): Promise<Finding[]> {
  const [endpoints, beacon, ...rest] = await Promise.all([
    Promise.all(means.endpoints.map((endpoint) => examineEndpoint(endpoint, means.clock))),
    Promise.all(means.beaconNodes.map(examineBeacon)),
    examineDatabase(means),
    examineReplica(means),
    examineDisk(means),
    examinePrices(means),
    examineQueue(means),
    examineSecrets(means),
  ])
  const { node: version } = process.versions
  const runtime = {
    check: 'runtime',
    name: 'node',
    facts: { version },
    ...judgeVersion(version, NODE_VERSIONS),
  } as const
  return [...endpoints, ...beacon, runtime, ...rest.flat()]
}

function failed(error: unknown): Verdict {
  if (!(error instanceof UpstreamError)) throw error
  // Removes the number of the pool's only endpoint.
  return { state: 'fail', problem: error.message.replace(/^\S+#1 /, '') }
}

async function examineEndpoint(
  { name, host, pool, chain, chainType }: Means['endpoints'][number],
  clock: Clock,
): Promise<Finding> {
  const finding = { check: 'endpoint', name } as const
  await pool.prove()
  const [endpoint] = pool.endpoints()
  if (endpoint?.problem !== undefined) {
    return { ...finding, facts: { host }, state: 'fail', problem: `it serves another chain: ${endpoint.problem}` }
  }
  try {
    const facts = await chainType.examine(pool, clock)
    return { ...finding, facts: { host, ...facts }, ...ageOf(facts, chain) }
  } catch (error) {
    return { ...finding, facts: { host }, ...failed(error) }
  }
}

const warnIf = (isWrong: boolean, problem: string): Verdict => (isWrong ? { state: 'warn', problem } : { state: 'ok' })

function ageOf({ lagSeconds }: { lagSeconds: number | null }, { isLocal, blockSeconds }: Chain): Verdict {
  if (isLocal || lagSeconds === null) return { state: 'ok' }
  if (lagSeconds < -AHEAD_SECONDS) {
    const problem = 'its newest block is in the future: check the node, and the clock of this machine'
    return { state: 'fail', problem }
  }
  const isOld = lagSeconds > Math.max(OLD_SECONDS, OLD_BLOCKS * blockSeconds)
  return warnIf(isOld, 'its newest block is old: answers from it are marked stale')
}

async function examineBeacon({ name, host, pool }: Examined<BeaconPool>): Promise<Finding> {
  const finding = { check: 'beacon', name } as const
  try {
    const [{ behindSlots, isSyncing }, version] = await Promise.all([
      pool.request(syncingRequest),
      pool.request(nodeVersionRequest),
    ])
    return { ...finding, facts: { host, version, behindSlots }, ...warnIf(isSyncing, 'it is still syncing') }
  } catch (error) {
    return { ...finding, facts: { host }, ...failed(error) }
  }
}

async function examineDatabase({ db, clock }: Means): Promise<Finding[]> {
  const startedAt = performance.now()
  const formats = SESSION_FORMATS.map(([name]) => name)
  const { rows } = await sql<{ version: string; bytes: string; now: Date; formats: string[] }>`
    select current_setting('server_version') as version, pg_database_size(current_database())::text as bytes,
      clock_timestamp() as now, array(select current_setting(name) from unnest(${formats}::text[]) as of (name)) as formats`.execute(
    db,
  )
  const latencyMs = Math.round(performance.now() - startedAt)
  const [row] = rows
  const apart = Math.abs(clock.now() - (row?.now.getTime() ?? 0)) / 1_000
  const facts = { version: row?.version ?? null, megabytes: Math.round(Number(row?.bytes) / 1e6), latencyMs }
  const times = { time: new Date(clock.now()).toISOString(), secondsFromDatabase: Math.round(apart * 10) / 10 }
  const problem = 'its clock and the clock of the database differ: synchronise both by NTP'
  // A pooler may hold sessions older than the settings of the role.
  const lost = SESSION_FORMATS.flatMap(([name, value], i) => (row?.formats[i] === value ? [] : [name]))
  const pooled = `its sessions lose ${lost.join(', ')}: restart the pooler, or start the service again`
  return [
    { check: 'database', name: 'postgres', facts, ...judgePostgres(row?.version ?? '') },
    { check: 'database', name: 'session', facts: {}, ...warnIf(lost.length > 0, pooled) },
    { check: 'clock', name: 'this machine', facts: times, ...warnIf(apart > CLOCKS_APART_SECONDS, problem) },
  ]
}

const REPLICA_PROBLEMS = {
  behind: 'it lacks commits of the last 200 ms: the primary answers in its place',
  away: 'it does not answer: the primary answers in its place',
  foreign: 'it is no replica of the database of DATABASE_URL: the primary answers in its place',
}

async function examineReplica({ replica }: Means): Promise<Finding[]> {
  if (!replica) return []
  const { host, ...urls } = replica
  const { reads, replica: found, close } = openDatabase({ ...urls, poolMax: 1, log: () => undefined })
  try {
    await sql`select`.execute(reads)
    const state = found?.state() ?? 'serving'
    const verdict = warnIf(state !== 'serving', state === 'serving' ? '' : REPLICA_PROBLEMS[state])
    return [{ check: 'replica', name: host, facts: { state }, ...verdict }]
  } finally {
    await close()
  }
}

/** Without the folder, the database is elsewhere. */
async function examineDisk({ dataDir }: Means): Promise<Finding[]> {
  if (!existsSync(dataDir)) return []
  const disk = await statfs(dataDir)
  const free = disk.bavail * disk.bsize
  const facts = { freeGigabytes: Math.round(free / 1e8) / 10 }
  const state: Verdict =
    free < NO_DISK_BYTES
      ? { state: 'fail', problem: 'the disk is full' }
      : warnIf(free < LITTLE_DISK_BYTES, 'less than 5 GB are free')
  return [{ check: 'disk', name: dataDir, facts, ...state }]
}

async function examineSecrets({ openSecrets }: Means): Promise<Finding> {
  const finding = { check: 'secrets', name: 'master key and pepper', facts: {} } as const
  try {
    await openSecrets()
    return { ...finding, state: 'ok' }
  } catch (error) {
    if (!(error instanceof StartupError)) throw error
    return { ...finding, state: 'fail', problem: error.message }
  }
}

async function examinePrices({ sources, usdPerEach }: Means): Promise<Finding> {
  const rates = [...(await askCoinRates(usdPerEach))]
  const facts = Object.fromEntries(rates.map(([coin, usd]) => [coin, usd && formatDecimal(roundPrice(usd))]))
  const missing = rates.flatMap(([coin, usd]) => (usd ? [] : [coin]))
  const problem = `no source has a price of ${missing.join(', ')} now: COFFER_PRICES lists the sources`
  return { check: 'prices', name: sources.join(', '), facts, ...warnIf(missing.length > 0, problem) }
}

async function examineQueue({ db }: Means): Promise<Finding> {
  const finding = { check: 'queue', name: 'jobs' } as const
  const { rows: found } = await sql`select where to_regclass('jobs.job') is not null`.execute(db)
  if (found.length === 0) {
    return { ...finding, state: 'warn', facts: {}, problem: 'the service has never been started with this database' }
  }
  const { rows } = await sql<{ waiting: string; active: string; failed: string; setAside: string }>`
    select count(*) filter (where state < 'active') as waiting, count(*) filter (where state = 'active') as active,
      count(*) filter (where state = 'failed') as failed,
      (select count(*) from history_set_aside) as "setAside"
    from jobs.job`.execute(db)
  const counts = Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, count]) => [name, Number(count)]))
  const isFailing = (counts['failed'] ?? 0) > 0 || (counts['setAside'] ?? 0) > 0
  const problem = 'jobs have failed: see the log, and "coffer-admin sync status" for wallets'
  return { ...finding, facts: counts, ...warnIf(isFailing, problem) }
}
