import { type Kysely, sql } from 'kysely'

/** Withdrawals and deposits of validators, and the blocks of the execution chain that were searched for them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

/**
 * `index` is the chain's running number of withdrawals, or of deposits. A deposit without a slot is in no block of the
 * beacon chain before `search_slot`. A scan goes from its first block to the last one that was final when it last began.
 */
const statements = `
alter table validator
  add column withdrawals_covered int8multirange not null default '{}',
  add column deposits_covered int8multirange not null default '{}';

create table validator_withdrawal (
  validator integer not null references validator,
  index bigint not null,
  slot integer not null,
  amount_gwei bigint not null,
  address text not null,
  primary key (validator, index)
);

create table validator_deposit (
  validator integer not null references validator,
  index bigint not null,
  amount_gwei bigint not null,
  withdrawal_credentials text not null,
  slot integer,
  search_slot integer not null,
  primary key (validator, index)
);
create index validator_deposit_unplaced on validator_deposit (search_slot) where slot is null;

create table validator_scan (
  kind text primary key check (kind in ('withdrawals', 'deposits')),
  first_block bigint not null,
  final_block bigint not null,
  final_slot integer not null
);
`
