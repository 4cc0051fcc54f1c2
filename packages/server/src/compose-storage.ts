import type { Config } from './config/config.ts'
import { type Connection, type Database, openDatabase } from './db/database.ts'
import { ensurePostgres } from './db/embedded-postgres.ts'
import { migrate } from './db/migrate.ts'
import { checkDatabase } from './db/start-check.ts'
import { claimProcess } from './features/rate-limit/process-claim.ts'
import type { Logger } from './lib/logger.ts'

/** Connections of one process: enough for its lanes and reads, few enough that several processes fit one server. */
const POOL_MAX = 20

/** The database, claimed and migrated, and where it is. `close` ends the connections and lets the embedded server go. */
export type Storage = { database: Database; connection: Connection; close(): Promise<void> }

/**
 * Opens the operator's PostgreSQL, or the embedded one below the data folder. Throws `StartupError` if there is none,
 * or if the claim of another API process excludes this one. The claim comes before the migration, because the other
 * process still uses the tables.
 */
export async function openStorage(config: Config, logger: Logger): Promise<Storage> {
  const opened = new AsyncDisposableStack()
  try {
    return await open(config, logger, opened)
  } catch (thrown) {
    await opened.disposeAsync()
    throw thrown
  }
}

async function open(config: Config, logger: Logger, opened: AsyncDisposableStack): Promise<Storage> {
  const log = (message: string) => logger.info(message)
  const warn = (message: string) => logger.warn(message)
  const embedded =
    config.databaseUrl === null
      ? opened.adopt(await ensurePostgres({ dataDir: config.dataDir, log }), async (server) => {
          await server.release()
        })
      : undefined
  const connection = embedded ? () => embedded.url() : (config.databaseUrl?.reveal() ?? '')
  if (typeof connection === 'string') await checkDatabase(connection, { log })
  const database = opened.adopt(openDatabase({ connection, poolMax: POOL_MAX, log: warn }), ({ close }) => close())
  // Only API processes count rate limits.
  if (config.roles.has('api')) {
    const claim = config.rateLimitStore === 'postgres' ? 'with others' : 'alone'
    opened.adopt(await claimProcess({ pool: database.pool, claim, log: warn }), ({ release }) => release())
  }
  await migrate({ connection, log })
  return { database, connection, close: () => opened.disposeAsync() }
}
