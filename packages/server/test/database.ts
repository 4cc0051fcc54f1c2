import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../src/db/database.ts'

/**
 * A file may have a dozen databases open, each with a pool of ten: together more than the server takes, if those that nobody
 * uses stayed.
 */
const IDLE_MS = 200

/** A migrated, otherwise empty database of the caller's own, on the run's PostgreSQL. `drop` closes and removes it. */
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

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
