import { type Kysely, sql } from 'kysely'

/** Stored blocks that the only endpoint of a chain no longer serves. They may begin where another gap does. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

const statements = `
alter table history_gap
  drop constraint history_gap_reason_check,
  drop constraint history_gap_pkey,
  add constraint history_gap_reason_check check (reason in ('pruned', 'not-offered', 'replaced-chain')),
  add primary key (wallet, chain, reason, from_block);
`
