import { type Kysely, sql } from 'kysely'

/** Keys that contracts' logs gave to wallets, and which set of logs the coverage of a wallet's search is about. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

/** Blocks that were searched before count for no set with keys: they are searched again. */
const statements = `
create table wallet_key (
  wallet text not null,
  chain text not null,
  contract text not null,
  key numeric(78,0) not null,
  block bigint not null,
  primary key (wallet, chain, contract, key)
);
create index wallet_key_in_order on wallet_key (wallet, chain, contract, block, key);
comment on table wallet_key is
  'What logs of a contract gave to a wallet under a key, for example an NFT; it may have left the wallet since';
comment on column wallet_key.block is 'Of a log that named it; the oldest and the newest are read where there are too many';

alter table wallet_log_coverage add column logs text not null default '';
comment on column wallet_log_coverage.logs is
  'The set of logs that was searched beside transfers of tokens; a search for another set begins anew';
`
