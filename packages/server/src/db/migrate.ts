import { Kysely, PostgresAdapter, PostgresDialect, sql, type Transaction } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type pg from 'pg'
import { StartupError } from '../lib/startup-error.ts'
import { type Connection, openUnlimited } from './database.ts'
import { distributeTables, prepareDistribution } from './distribution.ts'
import { LOCKS } from './locks.ts'
import { migrations as shipped } from './migrations/index.ts'

const LOCK_WAIT_MS = 30_000
const LOCK_NOT_AVAILABLE = '55P03'

/** Kysely's own lock belongs to a session: behind a pooler, its statements may run in another one. */
class MigrationAdapter extends PostgresAdapter {
  override acquireMigrationLock(): Promise<void> {
    return Promise.resolve()
  }

  override releaseMigrationLock(): Promise<void> {
    return Promise.resolve()
  }
}

class MigrationDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new MigrationAdapter()
  }
}

/** All or none, under an advisory lock. Refuses a newer or pre-release database. */
export async function migrate(options: {
  connection: Connection
  log: (message: string) => void
  migrations?: Record<string, Migration>
  lockWaitMs?: number
  /** Over the workers of Citus. */
  isDistributed?: boolean
}): Promise<string[]> {
  const { connection, log, migrations = shipped, lockWaitMs = LOCK_WAIT_MS, isDistributed = false } = options
  const { pool, close } = openUnlimited(connection, log)
  const db = new Kysely<unknown>({ dialect: new MigrationDialect({ pool }) })
  try {
    const done = await db.transaction().execute(async (trx) => {
      await waitForLock(trx, pool, lockWaitMs)
      const applied = await appliedNames(trx)
      refuseUnknown(applied, migrations)
      if (isDistributed) await prepareDistribution(trx)
      const names = applied.length === Object.keys(migrations).length ? [] : await runMigrations(trx, migrations)
      const distributed = isDistributed ? await distributeTables(trx) : []
      for (const table of distributed) log(`distributed over the workers: ${table}`)
      return names
    })
    for (const name of done) log(`migrated the database: ${name}`)
    return done
  } finally {
    await close()
  }
}

async function runMigrations(trx: Transaction<unknown>, migrations: Record<string, Migration>): Promise<string[]> {
  const provider = { getMigrations: async () => unlimited(migrations) }
  const { error, results = [] } = await new Migrator({ db: trx, provider }).migrateToLatest()
  if (error !== undefined) throw error
  return results.filter((result) => result.status === 'Success').map((result) => result.migrationName)
}

/** All run in one transaction. Limits of the role stay for others that share its session. */
const unlimited = (migrations: Record<string, Migration>): Record<string, Migration> =>
  Object.fromEntries(
    Object.entries(migrations).map(([name, { up }]) => [
      name,
      {
        up: async (db) => {
          await sql`select set_config(name, '0', true) from unnest(array['statement_timeout', 'lock_timeout']) as name`.execute(
            db,
          )
          await up(db)
        },
      },
    ]),
  )

async function appliedNames(trx: Transaction<unknown>): Promise<string[]> {
  const { rows: tables } = await sql`select where to_regclass('kysely_migration') is not null`.execute(trx)
  if (tables.length === 0) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(trx)
  return rows.map(({ name }) => name)
}

function refuseUnknown(applied: readonly string[], migrations: Record<string, Migration>): void {
  const unknown = applied.find((name) => migrations[name] === undefined)
  if (unknown === undefined) return
  const last = Object.keys(migrations).at(-1) ?? ''
  throw new StartupError(
    unknown < last
      ? `The database was made before the first release (it has the migration ${unknown}) and cannot be upgraded: start with an empty database, or with another COFFER_DATA_DIR.`
      : `The database is newer than this Coffer (it has the migration ${unknown}): start the version that wrote it, or restore a backup from before.`,
  )
}

/** `pool` names the holder: the transaction has failed then. */
async function waitForLock(trx: Transaction<unknown>, pool: pg.Pool, waitMs: number): Promise<void> {
  try {
    // The role may have a shorter limit of statements.
    await sql`select set_config('lock_timeout', ${String(waitMs)}, true), set_config('statement_timeout', '0', true)`.execute(
      trx,
    )
    await sql`select pg_advisory_xact_lock(${LOCKS.migrations})`.execute(trx)
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw thrown
    const { rows } = await pool.query<{ holder: string }>(
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
  }
}
