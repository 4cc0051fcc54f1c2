import { sql } from 'kysely'
import type { Db, Tables } from './tables.ts'

/** Fast with any plan. */
const FEW_ROWS = 500

export type Statistics = { noteAdded(rows: number): Promise<void> }

/** Analyzes doubled tables. PostgreSQL does so a minute later. */
export function createStatistics(db: Db, tables: readonly [keyof Tables, ...(keyof Tables)[]]): Statistics {
  let added = 0
  let threshold = FEW_ROWS
  return {
    async noteAdded(rows) {
      added += rows
      if (added < threshold) return
      added = 0
      await sql`analyze ${sql.join(tables.map((table) => sql.table(table)))}`.execute(db)
      const { rows: counted } = await sql<{ most: number }>`
        select max(reltuples)::float8 as most from pg_class where oid = any (${tables}::text[]::regclass[])`.execute(db)
      const most = counted[0]?.most ?? 0
      // Distributed tables have no rows here.
      threshold = most > 0 ? Math.max(FEW_ROWS, most) : 2 * threshold
    },
  }
}
