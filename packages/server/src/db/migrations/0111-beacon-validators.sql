-- `tracked`: requested. `outcome`: a line of amounts and counts, a row of some 64 bytes. A covered epoch without a
-- row was empty. A day is stored once all its epochs are covered. Bodies hold deflated lines of neighbouring
-- validators; a missing chunk had none. A scan covers all validators, future ones too, and locks only its row.
-- `index`: the chain's running number. A deposit's key need not be a validator's.
create table validator (
  index integer primary key,
  pubkey text not null unique,
  covered int4multirange not null default '{}',
  withdrawals_covered int8multirange not null default '{}',
  deposits_covered int8multirange not null default '{}',
  tracked boolean not null default true
);

create table validator_epoch (
  validator integer not null references validator,
  epoch integer not null,
  outcome text not null,
  primary key (validator, epoch)
);

create table validator_day (
  validator integer not null references validator,
  epoch integer not null,
  outcome text not null,
  primary key (validator, epoch)
);

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
