import type { Socket } from 'node:net'
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import pg from 'pg'
import { FairGate } from '../lib/fair-gate.ts'
import { currentTenant } from '../lib/tenant.ts'
import { type Replica, withReplica } from './replica.ts'
import type { Db, Tables } from './tables.ts'

const CONNECTION_TIMEOUT_MS = 10_000
const REPLICA_TIMEOUT_MS = 1_000
/** Beyond the statement limit, until a silent server counts as lost. */
const SILENCE_MARGIN_MS = 1_000
/** Bounds the locks of a transaction left open by a bug. */
const IDLE_TRANSACTION_TIMEOUT_MS = 10_000

/** A function returns the current port for each new connection. */
export type Connection = string | (() => string)

export type Database = {
  db: Db
  /** For long reads: by the replica while it has all that is committed. Without a replica, `db`. */
  reads: Db
  replica: Replica | undefined
  pool: pg.Pool
  close(): Promise<void>
}

type Limits = { statementMs: number; lockMs: number }

/** The lock limit is lower, so that the error names the lock. */
const STANDARD_LIMITS: Limits = { statementMs: 5_000, lockMs: 2_000 }

const { INT8, NUMERIC, DATE } = pg.types.builtins
const INT8_ARRAY = 1016
const NUMERIC_ARRAY = 1231
const DATE_ARRAY = 1182
const TEXT_ARRAY = 1009

const asText = (value: string): string => value
const typeParser: (oid: number, format?: 'text' | 'binary') => (value: string) => unknown = pg.types.getTypeParser
const parseTexts = typeParser(TEXT_ARRAY) as (value: string) => (string | null)[]
const listOf = (parse: (value: string) => unknown) => (value: string) =>
  parseTexts(value).map((item) => (item === null ? null : parse(item)))

/** No amount or day passes through a float or local time zone. */
const parsers = new Map<number, (value: string) => unknown>([
  [INT8, BigInt],
  [NUMERIC, asText],
  [DATE, asText],
  [INT8_ARRAY, listOf(BigInt)],
  [NUMERIC_ARRAY, listOf(asText)],
  [DATE_ARRAY, listOf(asText)],
])

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers.get(oid)) || typeParser(oid, format)) as typeof pg.types.getTypeParser,
}

function clientAt(connection: () => string): new () => pg.Client {
  return class extends pg.Client {
    constructor(options?: pg.ClientConfig) {
      super({ ...options, connectionString: connection() })
    }
  }
}

type PoolOptions = { connection: Connection; poolMax: number; log: (message: string) => void }

function createPool(
  { connection, poolMax, log }: PoolOptions,
  limits: Limits,
  readAs: pg.PoolConfig = { types },
): pg.Pool {
  const pool = new pg.Pool({
    ...(typeof connection === 'string' ? { connectionString: connection } : { Client: clientAt(connection) }),
    max: poolMax,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    ...readAs,
    application_name: 'coffer',
    onConnect: (client) => prepareSession(client, limits),
  })
  // Without a listener a lost idle connection would end the process.
  pool.on('error', (error) => log(`an idle database connection was lost, and the pool opens another: ${error.message}`))
  return pool
}

/** Parsers and statements rely on these; servers may differ. */
export const SESSION_FORMATS = [
  ['DateStyle', 'ISO, MDY'],
  ['IntervalStyle', 'postgres'],
  ['TimeZone', 'UTC'],
  ['bytea_output', 'hex'],
  ['default_transaction_isolation', 'read committed'],
  ['extra_float_digits', '1'],
  ['search_path', 'public'],
  ['standard_conforming_strings', 'on'],
] as const

/** Uses a statement: poolers refuse or lose connection settings. */
async function prepareSession(client: pg.ClientBase, limits: Limits): Promise<void> {
  // Without a listener a loss inside a transaction would end the process.
  client.on('error', () => undefined)
  if (limits.statementMs > 0) endWhenSilent(client, limits.statementMs + SILENCE_MARGIN_MS)
  await client.query(PREPARE, columnsOf(sessionSettings(limits)))
}

type Setting = readonly [name: string, value: string]

const sessionSettings = ({ statementMs, lockMs }: Limits): readonly Setting[] => [
  ['statement_timeout', `${statementMs}ms`],
  ['lock_timeout', `${lockMs}ms`],
  ['idle_in_transaction_session_timeout', `${IDLE_TRANSACTION_TIMEOUT_MS}ms`],
  ...SESSION_FORMATS,
]

const columnsOf = (settings: readonly Setting[]) => [settings.map(([name]) => name), settings.map(([, value]) => value)]

/** A limit that the role has here stays: behind a pooler that shares sessions, a change would reach other clients. */
const PREPARE = `
  select set_config(name, value, false) from unnest($1::text[], $2::text[]) as of (name, value)
  where name not like '%timeout' or not exists (
    select from pg_db_role_setting where setrole = current_user::regrole and setconfig::text like '%' || name || '=%'
      and setdatabase = (select oid from pg_database where datname = current_database()))`

/**
 * For a pooler that gives each transaction another session: settings of the role hold in all of them. Ends the
 * sessions of the role that began before.
 */
export async function prepareRole(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('alter role %I in database %I set %I to %L', current_user, current_database(), name, value) as statement
    from unnest($1::text[], $2::text[]) as of (name, value)
    where not exists (select from pg_db_role_setting where setrole = current_user::regrole
      and setdatabase = (select oid from pg_database where datname = current_database())
      and format('%s=%s', name, value) = any (setconfig))`,
    columnsOf(sessionSettings(STANDARD_LIMITS)),
  )
  if (rows.length === 0) return
  await client.query(rows.map(({ statement }) => statement).join(';'))
  const endSessions = client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and usename = current_user and backend_type = 'client backend'
    order by pid = pg_backend_pid()`,
  )
  // It ends its own session last.
  await endSessions.catch(() => undefined)
}

/** Destroys silent connections: limits of the server work only while it runs. */
function endWhenSilent(client: pg.ClientBase, limitMs: number): void {
  // Untyped internals of `pg`. `readyForQuery`: no statement runs.
  const inside = client as unknown as { connection: { stream: Socket }; readyForQuery: boolean }
  const { stream } = inside.connection
  stream.setTimeout(limitMs, () => {
    if (!inside.readyForQuery) stream.destroy(new Error('Query read timeout'))
  })
}

export function openDatabase(options: PoolOptions & { replicaUrl?: string | undefined }): Database {
  return open(options, STANDARD_LIMITS)
}

/** Reads values as `pg` does, for a library with its own tables. */
export function openPlainPool(options: PoolOptions): pg.Pool {
  return createPool(options, STANDARD_LIMITS, {})
}

export async function transact<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    client.release()
    return result
  } catch (thrown) {
    client.release(true)
    throw thrown
  }
}

export function openUnlimited(connection: Connection, log: (message: string) => void): Database {
  return open({ connection, poolMax: 2, log }, { statementMs: 0, lockMs: 0 })
}

/** Per account while another is active; a statement takes about a millisecond. */
const LEAST_CONNECTIONS = 2
/** Share of connections for one account, or all jobs. */
const SHARE_ALONE = 0.8

/** Serves accounts in turns. `pool.query` bypasses them. */
function byTurns(pool: pg.Pool, max: number): PostgresPool {
  const alone = Math.ceil(max * SHARE_ALONE)
  const turns = new FairGate({ all: max, alone, least: Math.min(LEAST_CONNECTIONS, alone), jobs: alone })
  return {
    options: pool.options,
    async connect() {
      const leave = await turns.enter(currentTenant())
      try {
        const client = await pool.connect()
        const { release } = client
        client.release = (failure) => {
          leave()
          release(failure)
        }
        return client
      } catch (thrown) {
        leave()
        throw thrown
      }
    },
    end: () => pool.end(),
  }
}

function open(options: PoolOptions & { replicaUrl?: string | undefined }, limits: Limits): Database {
  const pool = createPool(options, limits)
  const primary = byTurns(pool, options.poolMax)
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: primary }) })
  const replicated =
    options.replicaUrl === undefined ? undefined : openReplica(options, options.replicaUrl, primary, pool)
  const reads = replicated ? new Kysely<Tables>({ dialect: new PostgresDialect({ pool: replicated.pool }) }) : db
  return {
    db,
    reads,
    replica: replicated?.status,
    pool,
    async close() {
      await db.destroy()
      if (replicated) await reads.destroy()
      // Kysely does not end a pool that it never queried.
      if (!pool.ended) await pool.end()
    },
  }
}

function openReplica(options: PoolOptions, url: string, primary: PostgresPool, pool: pg.Pool) {
  const settings = { types, connectionTimeoutMillis: REPLICA_TIMEOUT_MS }
  const replica = createPool({ ...options, connection: url }, STANDARD_LIMITS, settings)
  return withReplica({
    primary,
    ask: (statement) => pool.query(statement),
    replica: byTurns(replica, options.poolMax),
    warn: options.log,
  })
}
