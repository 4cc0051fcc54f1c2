import type { Logger } from '../lib/logger.ts'
import type { Secret } from '../lib/secret.ts'
import { type Connection, type Database, openDatabase } from './database.ts'
import { ensurePostgres } from './embedded-postgres.ts'
import { migrate } from './migrate.ts'
import { checkDatabase } from './start-check.ts'

export type Storage = { database: Database; connection: Connection; close(): Promise<void> }

type Means = {
  config: { databaseUrl: Secret | null; databaseConnections: number; dataDir: string }
  /** Rejects with `StartupError` if another process excludes this one. */
  claim(database: Database): Promise<{ release(): Promise<void> } | undefined>
  logger: Logger
}

/** Claims before it migrates: an excluded process may still use the tables. */
export async function openStorage({ config, claim, logger }: Means): Promise<Storage> {
  await using opened = new AsyncDisposableStack()
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
  const pool = { connection, poolMax: config.databaseConnections, log: warn }
  const database = opened.adopt(openDatabase(pool), ({ close }) => close())
  opened.adopt(await claim(database), async (claimed) => claimed?.release())
  await migrate({ connection, log })
  const kept = opened.move()
  return { database, connection, close: () => kept.disposeAsync() }
}
