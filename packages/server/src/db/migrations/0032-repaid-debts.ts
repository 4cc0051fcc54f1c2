import { type Kysely, sql } from 'kysely'

/** Repaying a debt realises something now: what was worked out before is worked out anew when somebody asks. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`truncate accounting, accounting_day, accounting_result`.execute(db)
}
