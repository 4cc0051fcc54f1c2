import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { StartupError } from '../lib/startup-error.ts'
import { type Connection, openUnlimited } from './database.ts'
import { migrations as shipped } from './migrations/index.ts'
import type { Tables } from './tables.ts'

/**
 * Brings the database to this code's tables and answers the names of the migrations that were missing. All or none take
 * effect. Several processes may call it at once: an advisory lock lets one work and the others find it done.
 * Rejects with a `StartupError` when the database was written by a newer Coffer.
 */
export async function migrate(options: {
  connection: Connection
  log: (message: string) => void
  migrations?: Record<string, Migration>
}): Promise<string[]> {
  const { connection, log, migrations = shipped } = options
  const { db, close } = openUnlimited(connection, log)
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
    await refuseNewer(db, migrations)
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
