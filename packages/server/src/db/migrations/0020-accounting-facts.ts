import { type Kysely, sql } from 'kysely'

/** What accounting rests on: the rules it was worked out by, and facts of tokens that any process finds here. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

/**
 * A ledger that sums events of a hostile token can exceed what 78 digits hold. What was worked out before is worked out anew:
 * it took unknown decimals for none. `revision` counts the writes, so that a run that began before another one ended does
 * not mix its part with the other's. `lacking`: tokens whose decimals were not known. `asked_at`: a contract that was no
 * token then may be one by now.
 */
const statements = `
alter table history_adjustment alter column amount type numeric;

truncate accounting, accounting_day, accounting_result;
alter table accounting
  add column revision bigint not null default 1,
  add column lacking jsonb not null default '[]';

alter table token add column asked_at timestamptz not null default now();

create index instrument_by_address on instrument (chain, address);
`
