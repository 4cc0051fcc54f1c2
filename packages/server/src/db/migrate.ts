import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type pg from 'pg'
import { StartupError } from '../lib/startup-error.ts'
import { type Connection, openUnlimited } from './database.ts'
import { LOCKS } from './locks.ts'
import { migrations as shipped } from './migrations/index.ts'
import type { Tables } from './tables.ts'

const LOCK_WAIT_MS = 30_000
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Brings the database to this code's tables and answers the names of the migrations that were missing. All or none take
 * effect. Several processes may call it at once: an advisory lock lets one work and the others find it done.
 * Rejects with a `StartupError` when the database was written by a newer Coffer, or when the lock is held for too long.
 */
export async function migrate(options: {
  connection: Connection
  log: (message: string) => void
  migrations?: Record<string, Migration>
  lockWaitMs?: number
}): Promise<string[]> {
  const { connection, log, migrations = shipped, lockWaitMs = LOCK_WAIT_MS } = options
  const { db, pool, close } = openUnlimited(connection, log)
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
    await refuseNewer(db, migrations)
    await refuseLocked(pool, lockWaitMs)
    const { error, results = [] } = await migrator.migrateToLatest()
    // A newer Coffer may have migrated between the look and the lock.
    if (error !== undefined) await refuseNewer(db, migrations)
    if (error !== undefined) throw error
    const done = results.filter((result) => result.status === 'Success').map((result) => result.migrationName)
    for (const name of done) log(`migrated the database: ${name}`)
    return done
  } finally {
    await close()
  }
}

async function refuseNewer(db: Kysely<Tables>, migrations: Record<string, Migration>): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some((table) => table.name === 'kysely_migration')) return
  const applied = await db
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .orderBy('name')
    .execute()
  const unknown = applied.find(({ name }) => migrations[name] === undefined)
  if (unknown) {
    throw new StartupError(
      `The database is newer than this Coffer (it has the migration ${unknown.name}): start the version that wrote it, or restore a backup from before.`,
    )
  }
}

/** Waits for the lock of migrations, and names who holds it when that takes too long. */
async function refuseLocked(pool: pg.Pool, waitMs: number): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query(`select set_config('lock_timeout', $1, false)`, [String(waitMs)])
    await client.query('select pg_advisory_lock($1)', [LOCKS.migrations])
    await client.query('select pg_advisory_unlock($1)', [LOCKS.migrations])
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw thrown
    const { rows } = await client.query<{ holder: string }>(
      `select format('process %s of %s at %s, connected since %s', pid, coalesce(nullif(application_name, ''), usename),
          coalesce(host(client_addr), 'the server itself'), to_char(backend_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI"Z"'))
        as holder
      from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and granted and objsubid = 1 and pg_locks.database = pg_stat_activity.datid
        and (classid::bigint << 32 | objid::bigint) = $1`,
      [LOCKS.migrations],
    )
    const holder = rows[0]?.holder ?? 'a session that has just ended'
    throw new StartupError(
      `Another session holds the lock of migrations (${holder}): wait for it, or end it with pg_terminate_backend, and start again.`,
      { cause: thrown },
    )
  } finally {
    client.release(true)
  }
}
