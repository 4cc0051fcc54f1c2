import { type Kysely, sql } from 'kysely'

/** Blocks of histories that no endpoint could be searched in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table history_gap (
      wallet text not null,
      chain text not null,
      from_block bigint not null,
      to_block bigint not null,
      reason text not null check (reason in ('pruned', 'not-offered')),
      primary key (wallet, chain, from_block),
      check (from_block <= to_block)
    )`.execute(db)
}
