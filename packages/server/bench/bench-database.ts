import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '../src/db/database.ts'
import { ensurePostgres } from '../src/db/embedded-postgres.ts'
import { migrate } from '../src/db/migrate.ts'

/** Uses a temporary database. Prints missed targets and exits 1. */
export async function benchOverDatabase(bench: (database: Database, url: string) => Promise<string[]>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'coffer-bench-'))
  const log = () => undefined
  try {
    const postgres = await ensurePostgres({ dataDir, log })
    try {
      await migrate({ connection: postgres.url(), log })
      const database = openDatabase({ connection: postgres.url(), poolMax: 2, log })
      const faults = await bench(database, postgres.url()).finally(() => database.close())
      for (const fault of faults) console.error(`missed: ${fault}`)
      if (faults.length > 0) process.exitCode = 1
    } finally {
      await postgres.release()
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}
