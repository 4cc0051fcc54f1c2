/**
 * Rare outcomes are null where there was none, which takes no room: a row of an epoch is 68 bytes. An epoch that is covered
 * and has no row was empty. A day is named by its first epoch; its row is there once all its epochs are covered.
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

/**
 * Validators with their epochs, withdrawals and deposits: of those asked for, and of the whole registry.
 *
 * `tracked`: asked for, and not only known by the registry. The one row of `validator_registry` covers every validator that
 * there is or will be. A body holds the outcomes of a chunk of neighbouring validators, in an epoch or in a day; a chunk
 * without outcomes has no row. Bodies are deflated already.
 *
 * A scan goes from its first block to the last one that was final when it last began; its coverage is of every validator,
 * and is locked with the scan's row alone. A withdrawal's `index` is the chain's running number, as a deposit's is. A deposit
 * belongs to a key, which need not be a validator's yet; without a slot it is in no beacon block before `search_slot`.
 * `signed` null: its signature was not verified; the signature is empty once it was.
 */
export const statements = `
create table validator (
  index integer primary key,
  pubkey text not null unique,
  covered int4multirange not null default '{}',
  withdrawals_covered int8multirange not null default '{}',
  deposits_covered int8multirange not null default '{}',
  tracked boolean not null default true
);

create table validator_epoch (${rewardColumns('smallint')});

create table validator_day (${rewardColumns('integer')});

create table validator_registry (
  only_one boolean primary key default true check (only_one),
  covered int4multirange not null default '{}'
);
insert into validator_registry default values;

create table registry_epoch (
  chunk integer not null,
  epoch integer not null,
  body bytea not null,
  primary key (chunk, epoch)
);
alter table registry_epoch alter column body set storage external;

create table registry_day (
  chunk integer not null,
  epoch integer not null,
  body bytea not null,
  primary key (chunk, epoch)
);
alter table registry_day alter column body set storage external;

-- There may be a hundred million withdrawals: addresses are bytes, and columns stand so that there is no room between them.
create table validator_withdrawal (
  index bigint not null,
  amount_gwei bigint not null,
  validator integer not null,
  slot integer not null,
  address bytea not null,
  primary key (validator, index)
);

create table validator_deposit (
  index bigint primary key,
  amount_gwei bigint not null,
  slot integer,
  search_slot integer not null,
  signed boolean,
  pubkey bytea not null,
  withdrawal_credentials bytea not null,
  signature bytea not null
);
create index validator_deposit_pubkey on validator_deposit (pubkey, index);
create index validator_deposit_early on validator_deposit (pubkey) where slot is null and search_slot = 0;
create index validator_deposit_waiting on validator_deposit (index) where slot is null and search_slot > 0;

create table validator_scan (
  kind text primary key check (kind in ('withdrawals', 'deposits')),
  first_block bigint not null,
  final_block bigint not null,
  final_slot integer not null,
  covered int8multirange not null default '{}'
);
`
