import { type Kysely, sql } from 'kysely'

/** Validators whose epochs are indexed, and what they earned and did in them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

/**
 * What is rare is null where there was none of it, which takes no room: a row of an epoch is 68 bytes. An epoch that is
 * covered and has no row was empty. A day is named by its first epoch; its row is there once all its epochs are covered.
 */
const rewardColumns = (count: string) => `
  validator integer not null references validator,
  epoch integer not null,
  attestation_gwei bigint not null,
  attestation_ideal_gwei bigint not null,
  effective_balance_gwei bigint not null,
  attestations_included ${count} not null,
  attestations_missed ${count} not null,
  sync_gwei bigint,
  sync_potential_gwei bigint,
  proposal_gwei bigint,
  proposal_potential_gwei bigint,
  slashing_gwei bigint,
  sync_participations integer,
  sync_missed integer,
  proposed_blocks ${count},
  missed_blocks ${count},
  mev_blocks ${count},
  tips_wei numeric(78,0),
  mev_wei numeric(78,0),
  primary key (validator, epoch)
`

const statements = `
create table validator (
  index integer primary key,
  pubkey text not null unique,
  since timestamptz not null default now(),
  covered int4multirange not null default '{}'
);

create table validator_epoch (${rewardColumns('smallint')});

create table validator_day (${rewardColumns('integer')});
`
