import type { Logger } from '../lib/logger.ts'
import type { Secret } from '../lib/secret.ts'
import { type Connection, type Database, openDatabase } from './database.ts'
import { ensurePostgres } from './embedded-postgres.ts'
import { migrate } from './migrate.ts'
import { checkDatabase } from './start-check.ts'

export type Storage = { database: Database; connection: Connection; close(): Promise<void> }

export async function openStorage(
  config: { databaseUrl: Secret | null; databaseConnections: number; dataDir: string },
  logger: Logger,
): Promise<Storage> {
  await using opened = new AsyncDisposableStack()
  const log = (message: string) => logger.info(message)
  const embedded = config.databaseUrl === null ? await ensurePostgres({ dataDir: config.dataDir, log }) : undefined
  opened.defer(async () => void (await embedded?.release()))
  const connection = embedded ? () => embedded.url() : (config.databaseUrl?.reveal() ?? '')
  if (typeof connection === 'string') await checkDatabase(connection, { log })
  const warn = (message: string) => logger.warn(message)
  const pool = { connection, poolMax: config.databaseConnections, log: warn }
  const database = opened.adopt(openDatabase(pool), ({ close }) => close())
  await migrate({ connection, log })
  const kept = opened.move()
  return { database, connection, close: () => kept.disposeAsync() }
}
