import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../src/db/database.ts'

/**
 * A file may have a dozen databases open, each with a pool of ten: too many for the server if idle connections stayed.
 * A connection costs it tens of milliseconds of CPU.
 */
const IDLE_MS = 2_000

/** Migrated and otherwise empty. `drop` closes and removes it. */
export async function testDatabase(name = 'test'): Promise<Omit<Database, 'close'> & TestDatabase> {
  const { adminUrl, template } = inject('postgres')
  const database = `${name.replaceAll(/\W/g, '_').toLowerCase().slice(0, 40)}_${randomBytes(6).toString('hex')}`
  await administer(adminUrl, `create database ${database} template ${template} strategy file_copy`)
  const url = adminUrl.replace('/postgres?', `/${database}?`)
  const { db, pool, close } = openDatabase({ connection: url, poolMax: 10, log: () => undefined })
  pool.options.idleTimeoutMillis = IDLE_MS
  const drop = async (): Promise<void> => {
    await close()
    await administer(adminUrl, `drop database ${database} with (force)`)
  }
  return { url, db, pool, drop }
}

type TestDatabase = { url: string; drop(): Promise<void> }

/** One per worker. */
let administrators: pg.Pool | undefined

async function administer(connectionString: string, statement: string): Promise<void> {
  // A stopping server ends idle connections.
  administrators ??= new pg.Pool({ connectionString, max: 3, allowExitOnIdle: true }).on('error', () => undefined)
  await administrators.query(statement)
}
