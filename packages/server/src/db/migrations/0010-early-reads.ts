import { type Kysely, sql } from 'kysely'

/** Reads of wallets at blocks that may still be replaced, kept until they are final. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

/** `at`: Unix seconds of the moment whose first block was read. */
const statements = `
create table snapshot_early_read (
  wallet text not null,
  at bigint not null,
  chain text not null,
  block_hash text not null,
  read jsonb not null,
  primary key (wallet, at, chain)
);
`
