import { type Kysely, sql } from 'kysely'

/** What stored data is compared with the chain by: its first block, and the blocks that searches and reads ended at. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

/**
 * `searched_heads.heads`: blocks, newest first, each with the hash that it had when a search ended there. Searches and reads of
 * before this migration have no hash.
 */
const statements = `
create table chain_genesis (
  chain text primary key,
  hash text not null,
  learned_at timestamptz not null default now()
);

create table searched_heads (
  coverage text not null,
  wallet text not null,
  chain text not null,
  heads jsonb not null,
  primary key (wallet, chain, coverage)
);

alter table wallet_read add column block_hash text;
`
