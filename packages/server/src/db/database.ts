import type { Socket } from 'node:net'
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import pg from 'pg'
import { createFairGate } from '../lib/fair-gate.ts'
import type { Tables } from './tables.ts'

const CONNECTION_TIMEOUT_MS = 10_000
/** Beyond the limit of a statement, how long to wait for a silent server: it is stopped or unreachable. */
const SILENCE_MARGIN_MS = 1_000
/** A transaction left open by a bug must not hold its locks for ever. */
const IDLE_TRANSACTION_TIMEOUT_MS = 10_000

/** A fixed connection string, or a function asked again for every new connection, for a server whose port may change. */
export type Connection = string | (() => string)

/** The typed queries (`db`), and the pool behind them for named prepared statements (`pool.query({ name, text, values })`). */
export type Database = { db: Kysely<Tables>; pool: pg.Pool; close(): Promise<void> }

type Limits = { statementMs: number; lockMs: number }

/**
 * A statement that runs longer is a bug or an overload; the caller's request would not wait for it anyway. The limit of
 * waiting for a lock is below it, so that the error names the lock.
 */
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

/** No integer, amount or day passes through a float or a local time zone. */
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

/** `pg.Pool` makes its connections from a class; this one asks for the address each time. */
function clientAt(connection: () => string): new () => pg.Client {
  return class extends pg.Client {
    constructor(options?: pg.ClientConfig) {
      super({ ...options, connectionString: connection() })
    }
  }
}

type PoolOptions = { connection: Connection; poolMax: number; log: (message: string) => void }

/** A pool whose connections give up in time; `readAs` says how they read values. */
function createPool(
  { connection, poolMax, log }: PoolOptions,
  limits: Limits,
  readAs: Pick<pg.PoolConfig, 'types'> = { types },
): pg.Pool {
  const pool = new pg.Pool({
    ...(typeof connection === 'string' ? { connectionString: connection } : { Client: clientAt(connection) }),
    max: poolMax,
    ...readAs,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    application_name: 'coffer',
    onConnect: (client) => prepareSession(client, limits),
  })
  // Without a listener the loss of an idle connection would end the process; the pool opens another by itself.
  pool.on('error', (error) => log(`an idle database connection was lost, and the pool opens another: ${error.message}`))
  return pool
}

/** Settings that a role, database or server may have otherwise, and that parsers and statements rely on. */
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

/** Sets limits and formats by a statement, for poolers refuse or lose them as settings of the connection. */
async function prepareSession(client: pg.ClientBase, limits: Limits): Promise<void> {
  // Without a listener, losing a connection between two statements of a transaction would end the process. The next
  // statement rejects and reports the loss.
  client.on('error', () => undefined)
  if (limits.statementMs > 0) endWhenSilent(client, limits.statementMs + SILENCE_MARGIN_MS)
  const settings = [
    ['statement_timeout', String(limits.statementMs)],
    ['lock_timeout', String(limits.lockMs)],
    ['idle_in_transaction_session_timeout', String(IDLE_TRANSACTION_TIMEOUT_MS)],
    ...SESSION_FORMATS,
  ]
  await client.query(`select set_config(name, value, false) from unnest($1::text[], $2::text[]) as of (name, value)`, [
    settings.map(([name]) => name),
    settings.map(([, value]) => value),
  ])
}

/** What `pg` has and its types do not say. `readyForQuery`: no statement is under way. */
type Inside = { connection: { stream: Socket }; readyForQuery: boolean }

/**
 * The limits of the server work only while it runs. If a statement waits and nothing moves for so long, destroys the
 * connection: the statement rejects, and the pool opens another connection.
 */
function endWhenSilent(client: pg.ClientBase, limitMs: number): void {
  const inside = client as unknown as Inside
  const { stream } = inside.connection
  stream.setTimeout(limitMs, () => {
    if (!inside.readyForQuery) stream.destroy(new Error('Query read timeout'))
  })
}

/**
 * Opens a pool on the database; it connects at the first query. Limits per connection: statements 5 s, waiting for a
 * lock 2 s, connecting 10 s. A statement beyond a limit rejects with the error of PostgreSQL. A connection on which a
 * statement waits for 6 s without traffic counts as lost.
 */
export function openDatabase(options: PoolOptions): Database {
  return open(options, STANDARD_LIMITS)
}

/** A pool with the limits of `openDatabase` that reads values as `pg` does: for a library that brings its own tables. */
export function openPlainPool(options: PoolOptions): pg.Pool {
  return createPool(options, STANDARD_LIMITS, {})
}

/** Runs work in a transaction on one connection of the pool, which is given up if the work fails. */
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

/** As `openDatabase`, without limits on statements and locks: migrations take as long as they take. */
export function openUnlimited(connection: Connection, log: (message: string) => void): Database {
  return open({ connection, poolMax: 2, log }, { statementMs: 0, lockMs: 0 })
}

/** Connections of one account while another is active; few are enough, as a statement takes about a millisecond. */
const CONNECTIONS_BESIDE = 2
/** Share of the connections that one account, or all jobs, may hold; the rest is free for others. */
const SHARE_ALONE = 0.8

/** Gives the connections of the pool to accounts in turns. `pool.query` bypasses the turns. */
function byTurns(pool: pg.Pool, max: number): PostgresPool {
  const alone = Math.ceil(max * SHARE_ALONE)
  const turns = createFairGate({ all: max, alone, beside: Math.min(CONNECTIONS_BESIDE, alone), jobs: alone })
  return {
    options: pool.options,
    async connect() {
      const leave = await turns.enter()
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

function open(options: PoolOptions, limits: Limits): Database {
  const pool = createPool(options, limits)
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: byTurns(pool, options.poolMax) }) })
  return {
    db,
    pool,
    async close() {
      await db.destroy()
      // Kysely leaves a pool alone that it never queried itself.
      if (!pool.ended) await pool.end()
    },
  }
}
