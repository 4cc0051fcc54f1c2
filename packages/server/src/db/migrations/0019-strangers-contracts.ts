import { type Kysely, sql } from 'kysely'

/**
 * Contracts of protocols that are dropped because they refuse to be read, or are not recognised any more; and listed tokens
 * that refuse to tell balances. Vaults that no row names were taken by a weaker rule: they are asked again at once.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

const statements = `
alter table instrument add column dropped_at timestamptz;
create table refusing_token (
  chain text not null,
  address text not null,
  since timestamptz not null default now(),
  primary key (chain, address)
);
update instrument set dropped_at = now() where protocol_row like 'erc4626 %';
update instrument_discovery set discovered_at = 'epoch' where protocol_row like 'erc4626 %';
`
