import { type Kysely, sql } from 'kysely'

/** Cost is kept by wallet and chain: what was kept by wallet is computed again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`truncate accounting, accounting_day, accounting_result`.execute(db)
  await sql.raw(statements).execute(db)
}

const statements = `
comment on column accounting.seen is
  'By wallet, chain and the blocks that are known of it, the last change that was processed';
`
