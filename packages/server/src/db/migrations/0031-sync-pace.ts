import { type Kysely, sql } from 'kysely'

/** What was searched of a wallet before its sync began, so that the pace of the sync is known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

const statements = `
alter table history_sync add column searched_before jsonb not null default '{}';

comment on column history_sync.searched_before is
  'Blocks that were searched by chain when the sync was asked for'
`
