import { type Kysely, sql } from 'kysely'

/** Last good reads of wallets, and what is known of tokens and protocol contracts whatever the wallet. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}

const statements = [
  sql`create table wallet_read (
    wallet text not null,
    chain text not null,
    block numeric(78,0) not null,
    block_time timestamptz not null,
    read_at timestamptz not null,
    body jsonb not null,
    plan jsonb not null,
    primary key (wallet, chain)
  )`,
  sql`create table token (
    chain text not null,
    address text not null,
    symbol text,
    name text,
    decimals smallint,
    primary key (chain, address)
  )`,
  sql`comment on table token is 'Metadata read from chains; a row without decimals is a contract that is no token'`,
  sql`create table wallet_token (
    wallet text not null,
    chain text not null,
    address text not null,
    primary key (wallet, chain, address)
  )`,
  sql`create table wallet_log_coverage (
    wallet text not null,
    chain text not null,
    from_block numeric(78,0) not null,
    to_block numeric(78,0) not null,
    primary key (wallet, chain, from_block)
  )`,
  sql`create table instrument (
    chain text not null,
    protocol_row text not null,
    address text not null,
    role text not null,
    fungible boolean not null,
    underlyings jsonb not null,
    data jsonb,
    primary key (chain, protocol_row, address)
  )`,
  sql`create table instrument_discovery (
    chain text not null,
    protocol_row text not null,
    discovered_at timestamptz not null,
    primary key (chain, protocol_row)
  )`,
]
