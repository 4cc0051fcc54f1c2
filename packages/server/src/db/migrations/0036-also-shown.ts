import { type Kysely, sql } from 'kysely'

/** Tokens that positions show beside the ones that a contract's shares stand for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

/** Rows are listed anew, so that the tokens of contracts that are stored already become known. */
const statements = `
alter table instrument add column also_shown jsonb not null default '[]';
comment on column instrument.also_shown is
  'Tokens that positions may show beside the underlyings, such as collateral and rewards: priced with the first reads';
update instrument_discovery set discovered_at = 'epoch';
`
