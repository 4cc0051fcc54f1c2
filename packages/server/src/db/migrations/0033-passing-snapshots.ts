import { type Kysely, sql } from 'kysely'

/** Snapshots that can be taken in their hour alone go first, by a column: SQL knows no kinds of addresses. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table snapshot_subscription add column is_passing boolean not null default false`.execute(db)
  await sql`update snapshot_subscription set is_passing = true where address not like '0x%'`.execute(db)
}
