import { spawn } from 'node:child_process'
import { accessSync, closeSync, constants, mkdirSync, openSync, realpathSync, renameSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { StartupError } from '../lib/startup-error.ts'
import { CLUSTER_USER, ensureCluster, giveToService, keepPassword, SERVICE_ROLE } from './embedded-postgres-cluster.ts'
import { chooseHost, type Machine, type ServerHost, spawnSettings, thisMachine } from './embedded-postgres-host.ts'
import {
  findPostmaster,
  isRunning,
  type Postmaster,
  postmasterState,
  readText,
  removeStaleLock,
  withFolderLock,
} from './embedded-postgres-process.ts'
import { findPrograms, type Programs, preparePrograms } from './embedded-postgres-programs.ts'
import { LOCKS } from './locks.ts'

const START_LIMIT_MS = 60_000
const STOP_LIMIT_MS = 30_000
const CONNECTION_TIMEOUT_MS = 5_000
const START_ATTEMPTS = 5
const POLL_MS = 25
const LOG_LIMIT_BYTES = 10_000_000

/** For a shared machine. `fsync` and `synchronous_commit` stay on. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '128MB',
  max_wal_size: '512MB',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
}

const FOR_TESTS = { fsync: 'off', full_page_writes: 'off', max_connections: '400' }

export type EmbeddedPostgres = {
  how: 'started' | 'attached'
  /** Ask for every new connection: a restarted server has another port. */
  url(): string
  /** As the superuser, for tests. */
  adminUrl(database: string): string
  release(): Promise<'stopped' | 'left-running'>
}

type Server = {
  dataDir: string
  host: ServerHost
  cluster: string
  passwords: { superuser: string; service: string }
  durable: boolean
  log: (message: string) => void
}

/** Holds the shared lock: no other process stops the server. */
type Session = { client: pg.Client; how: EmbeddedPostgres['how'] }

/** Any number of processes may call it at once. `durable: false` (tests): data survives processes, not the machine. */
export async function ensurePostgres(options: {
  dataDir: string
  log: (message: string) => void
  durable?: boolean
  machine?: Machine
  shipped?: Programs
}): Promise<EmbeddedPostgres> {
  const { log, durable = true, machine = thisMachine, shipped = findPrograms() } = options
  const dataDir = openDataFolder(options.dataDir)
  const server = await withFolderLock(dataDir, async () => {
    const passwords = { superuser: keepPassword(dataDir, 'superuser'), service: keepPassword(dataDir, 'service') }
    const host = chooseHost(dataDir, preparePrograms(shipped, dataDir), machine, log)
    const terms = { password: passwords.superuser, durable, log }
    const cluster = await ensureCluster(host, shipped.majorVersion, terms)
    return { dataDir, host, cluster, passwords, durable, log }
  })
  return attach(server)
}

function openDataFolder(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    accessSync(path, constants.W_OK)
    return realpathSync(path)
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException
    throw new StartupError(`The data folder ${path} cannot be used (${code}): choose another with COFFER_DATA_DIR.`, {
      cause,
    })
  }
}

async function attach(server: Server): Promise<EmbeddedPostgres> {
  let port = 0
  let released: Promise<'stopped' | 'left-running'> | undefined
  let session = joinIn(() => joinFirst(server))

  async function joinIn(join: () => Promise<Session>): Promise<Session> {
    const joined = await withFolderLock(server.dataDir, join)
    joined.client.once('end', rejoin)
    return joined
  }

  function rejoin(): void {
    if (released) return
    server.log('the connection to the embedded PostgreSQL was lost; attaching to it again, or starting it')
    session = joinIn(() => attachOrStart(server))
    session.catch((error: Error) => server.log(`PostgreSQL is down; fix this and restart Coffer: ${error.message}`))
  }

  function portNow(): number {
    port = findPostmaster(server.cluster)?.port || port
    return port
  }

  const { how } = await session
  return {
    how,
    url: () => urlAs(SERVICE_ROLE, server.passwords.service, portNow(), 'coffer'),
    adminUrl: (database) => adminUrlOf(server, portNow(), database),
    release() {
      released ??= session.then(
        (joined) => leave(server, joined),
        () => 'left-running',
      )
      return released
    },
  }
}

async function joinFirst(server: Server): Promise<Session> {
  const joined = await attachOrStart(server)
  const port = findPostmaster(server.cluster)?.port ?? 0
  try {
    await giveToService(joined.client, { url: adminUrlOf(server, port, 'coffer'), password: server.passwords.service })
    return joined
  } catch (cause) {
    await leave(server, joined)
    throw new StartupError(
      `The database in ${server.cluster} could not be given to the role ${SERVICE_ROLE}: ${(cause as Error).message}.`,
      { cause },
    )
  }
}

async function attachOrStart(server: Server): Promise<Session> {
  const deadline = Date.now() + START_LIMIT_MS
  let how: Session['how'] = 'attached'
  let failures = 0
  while (Date.now() < deadline && failures < START_ATTEMPTS) {
    const outcome = await step(server)
    if (typeof outcome !== 'string') return { client: outcome, how }
    if (outcome === 'started') how = 'started'
    if (outcome === 'failed') failures += 1
  }
  throw new StartupError(
    `PostgreSQL did not start (${lastFatal(server) ?? 'no reason given'}); its log is ${logFile(server)}. To use your own PostgreSQL, set DATABASE_URL.`,
  )
}

async function step(server: Server) {
  const found = findPostmaster(server.cluster)
  if (found && postmasterState(found.pid, server.cluster) === 'alive') {
    const client = await takeSession(server, found)
    if (!client) await delay(POLL_MS)
    return client ?? 'waiting'
  }
  if (found) removeStaleLock(server.cluster, found.pid)
  return start(server)
}

async function takeSession(server: Server, { port, ready }: Postmaster): Promise<pg.Client | undefined> {
  if (!ready) return undefined
  const client = new pg.Client({
    connectionString: adminUrlOf(server, port, 'postgres'),
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    application_name: 'coffer in use',
    keepAlive: true,
  })
  // `end` is emitted too, to which `joinIn` listens.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select pg_advisory_lock_shared($1)', [LOCKS.embeddedServer])
    const { rowCount } = await client.query(`select 1 from pg_database where datname = 'coffer'`)
    if (rowCount === 0) await client.query('create database coffer').catch(ignoreDuplicate)
    return client
  } catch {
    await client.end().catch(() => undefined)
    return undefined
  }
}

/** 42P04 duplicate_database, 23505 unique_violation: created meanwhile. */
function ignoreDuplicate(error: { code?: string }): void {
  if (error.code !== '42P04' && error.code !== '23505') throw error
}

async function start(server: Server): Promise<'started' | 'lost' | 'failed'> {
  const { host, cluster, durable } = server
  const settings = { ...SETTINGS, ...(!durable && FOR_TESTS), port: String(await freePort()) }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const [command = '', ...args] = [...host.prefix, join(host.programs, 'postgres'), '-D', cluster, ...options]
  const log = openLog(server)
  // Detached: Ctrl-C is for the service, which stops the server.
  const child = spawn(command, args, { ...spawnSettings(host), detached: true, stdio: ['ignore', log, log] })
  closeSync(log)
  child.unref()
  const end = new AbortController()
  child.once('exit', () => end.abort()).once('error', () => end.abort())
  if (await becomesReady(cluster, child.pid, end.signal)) {
    server.log('started PostgreSQL')
    return 'started'
  }
  const other = findPostmaster(cluster)
  return other && postmasterState(other.pid, cluster) === 'alive' ? 'lost' : 'failed'
}

async function becomesReady(cluster: string, pid: number | undefined, ended: AbortSignal): Promise<boolean> {
  const deadline = Date.now() + START_LIMIT_MS
  while (!ended.aborted && Date.now() < deadline) {
    const found = findPostmaster(cluster)
    if (found?.pid === pid && found?.ready) return true
    await delay(POLL_MS)
  }
  return false
}

async function leave(server: Server, { client }: Session): Promise<'stopped' | 'left-running'> {
  try {
    await client.query('select pg_advisory_unlock_shared($1)', [LOCKS.embeddedServer])
    const { rows } = await client.query('select pg_try_advisory_lock($1) as last', [LOCKS.embeddedServer])
    const found = rows[0]?.last ? findPostmaster(server.cluster) : undefined
    if (!found || postmasterState(found.pid, server.cluster) !== 'alive') return 'left-running'
    return await stop(server, found.pid)
  } catch {
    return 'left-running'
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function stop(server: Server, pid: number): Promise<'stopped' | 'left-running'> {
  // PostgreSQL's fast shutdown.
  process.kill(pid, 'SIGINT')
  const deadline = Date.now() + STOP_LIMIT_MS
  while (isRunning(pid)) {
    if (Date.now() > deadline) {
      server.log(`PostgreSQL (process ${pid}) is still shutting down; not waiting any longer`)
      return 'left-running'
    }
    await delay(POLL_MS)
  }
  server.log('stopped PostgreSQL')
  return 'stopped'
}

const adminUrlOf = ({ passwords }: Server, port: number, database: string): string =>
  urlAs(CLUSTER_USER, passwords.superuser, port, database)

const urlAs = (user: string, password: string, port: number, database: string): string =>
  `postgres://${user}:${password}@127.0.0.1:${port}/${database}?sslmode=disable`

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

function logFile({ dataDir }: Server): string {
  return join(dataDir, 'postgres.log')
}

function openLog(server: Server): number {
  const file = logFile(server)
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT_BYTES) renameSync(file, `${file}.1`)
  return openSync(file, 'a', 0o600)
}

function lastFatal(server: Server): string | undefined {
  const lines = readText(logFile(server))?.trim().split('\n') ?? []
  return lines.findLast((line) => /FATAL|PANIC|unshare|error/i.test(line))?.replace(/^.*?(FATAL|PANIC):\s*/, '')
}
