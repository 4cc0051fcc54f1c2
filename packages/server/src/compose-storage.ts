import type { Config } from './config/config.ts'
import { type Connection, type Database, openDatabase } from './db/database.ts'
import { ensurePostgres } from './db/embedded-postgres.ts'
import { migrate } from './db/migrate.ts'
import { checkDatabase } from './db/start-check.ts'
import type { Logger } from './lib/logger.ts'

/** Connections of one process: enough for its lanes and reads, few enough that several processes fit one server. */
const POOL_MAX = 20

/** The database, migrated, and where it is. `close` ends the connections and lets the embedded server go. */
export type Storage = { database: Database; connection: Connection; close(): Promise<void> }

/** Opens the operator's PostgreSQL, or the embedded one below the data folder. Throws `StartupError` where there is none. */
export async function openStorage(config: Pick<Config, 'databaseUrl' | 'dataDir'>, logger: Logger): Promise<Storage> {
  const log = (message: string) => logger.info(message)
  const embedded = config.databaseUrl === null ? await ensurePostgres({ dataDir: config.dataDir, log }) : undefined
  const connection = embedded ? () => embedded.url() : (config.databaseUrl?.reveal() ?? '')
  try {
    if (typeof connection === 'string') await checkDatabase(connection, { log })
    await migrate({ connection, log })
    const database = openDatabase({ connection, poolMax: POOL_MAX, log: (message) => logger.warn(message) })
    return {
      database,
      connection,
      async close() {
        await database.close()
        await embedded?.release()
      },
    }
  } catch (thrown) {
    await embedded?.release()
    throw thrown
  }
}
