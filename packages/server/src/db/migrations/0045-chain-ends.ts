import { type Kysely, sql } from 'kysely'

/** How the search of each chain ended, so that a sync tells which one failed and why. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

const statements = `
alter table history_sync add column chain_ends jsonb not null default '{}';

comment on column history_sync.chain_ends is
  'By chain, how its search ended in this run of the sync: {"state": "done", "reason": null}'
`
