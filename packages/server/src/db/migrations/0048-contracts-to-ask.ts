import { type Kysely, sql } from 'kysely'

/** Contracts that logs of a wallet name and that no family was asked about yet. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

const statements = `
create table wallet_due_contract (
  wallet text not null,
  chain text not null,
  address text not null,
  block bigint not null,
  sent boolean not null,
  primary key (wallet, chain, address)
);
create index wallet_due_contract_in_order on wallet_due_contract (wallet, chain, block, address);
comment on table wallet_due_contract is
  'Contracts that logs of a wallet name, before they are asked what they are; anyone can create any number of them';
comment on column wallet_due_contract.block is 'Of the newest log that named it when it was found';
comment on column wallet_due_contract.sent is 'It is a token that was sent; others count only where a protocol recognises them';

alter table wallet_read add column search_unasked boolean not null default false;
comment on column wallet_read.search_unasked is 'Whether the last search left contracts that are still to be asked';
`
