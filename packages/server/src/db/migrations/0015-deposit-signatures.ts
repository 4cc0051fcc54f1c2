import { type Kysely, sql } from 'kysely'

/** Whether deposits were signed by the key that they are for: without that no validator comes of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table validator_deposit add column signed boolean not null default true`.execute(db)
}
