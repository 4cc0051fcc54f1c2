import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, inject, vi } from 'vitest'
import { type Database, openDatabase } from '../src/db/database.ts'
import { HANGS_MS } from './hangs.ts'

/**
 * A file may have a dozen databases open, each with a pool of ten: too many for the server if idle connections stayed.
 * A connection costs it tens of milliseconds of CPU.
 */
const IDLE_MS = 2_000

/** Migrated and otherwise empty. `drop` closes and removes it. */
export async function testDatabase(name = 'test'): Promise<Omit<Database, 'close'> & TestDatabase> {
  const { adminUrl, template, workerUrls } = inject('postgres')
  const servers = [...workerUrls, adminUrl]
  const database = `${name.replaceAll(/\W/g, '_').toLowerCase().slice(0, 40)}_${randomBytes(6).toString('hex')}`
  for (const server of servers) {
    await administer(server, `create database ${database} template ${template} strategy file_copy`)
  }
  const url = Object.assign(new URL(adminUrl), { pathname: `/${database}` }).href
  const { close, ...opened } = openDatabase({ connection: url, poolMax: 10, log: () => undefined })
  opened.pool.options.idleTimeoutMillis = IDLE_MS
  const drop = async (): Promise<void> => {
    await close()
    for (const server of servers.toReversed()) await administer(server, `drop database ${database} with (force)`)
  }
  return { url, ...opened, drop }
}

/** At the top of a test file: removed after the file's tests. */
export async function suiteDatabase(name: string): ReturnType<typeof testDatabase> {
  const database = await testDatabase(name)
  afterAll(() => database.drop())
  return database
}

/** Resolves once a statement of this database waits for a lock. */
export async function lockAwaited({ pool }: Pick<Database, 'pool'>): Promise<void> {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await vi.waitUntil(async () => (await pool.query(waiting)).rowCount === 1, { timeout: HANGS_MS })
}

type TestDatabase = { url: string; drop(): Promise<void> }

/** By server, in each worker. */
const administrators = new Map<string, pg.Pool>()

async function administer(connectionString: string, statement: string): Promise<void> {
  const pool =
    administrators.get(connectionString) ??
    // A stopping server ends idle connections.
    new pg.Pool({ connectionString, max: 3, allowExitOnIdle: true }).on('error', () => undefined)
  administrators.set(connectionString, pool)
  await pool.query(statement)
}
