import { type Kysely, sql } from 'kysely'

/** Withdrawals and deposits of everyone, whether they were asked for and are in the registry or not. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

/**
 * What a scan covers is searched for everyone that there is or will be; it is locked with the scan's row and with nothing
 * else. There may be a hundred million withdrawals: addresses are bytes, and columns stand so that there is no room between
 * them. A deposit belongs to a key, which need not be a validator's yet. `signed` null: its signature was not looked at; the
 * signature is empty once it was.
 */
const statements = `
alter table validator_scan add column covered int8multirange not null default '{}';

create table withdrawal_of_anyone (
  index bigint not null,
  amount_gwei bigint not null,
  validator integer not null,
  slot integer not null,
  address bytea not null
);
insert into withdrawal_of_anyone
  select index, amount_gwei, validator, slot, decode(substr(address, 3), 'hex') from validator_withdrawal;
drop table validator_withdrawal;
alter table withdrawal_of_anyone rename to validator_withdrawal;
alter table validator_withdrawal add primary key (validator, index);

create table deposit_of_anyone (
  index bigint not null,
  amount_gwei bigint not null,
  slot integer,
  search_slot integer not null,
  signed boolean,
  pubkey bytea not null,
  withdrawal_credentials bytea not null,
  signature bytea not null
);
insert into deposit_of_anyone
  select deposit.index, amount_gwei, slot, search_slot, signed, decode(substr(pubkey, 3), 'hex'),
    decode(substr(withdrawal_credentials, 3), 'hex'), ''
  from validator_deposit deposit join validator on validator.index = deposit.validator;
drop table validator_deposit;
alter table deposit_of_anyone rename to validator_deposit;
alter table validator_deposit add primary key (index);
create index validator_deposit_pubkey on validator_deposit (pubkey, index);
create index validator_deposit_early on validator_deposit (pubkey) where slot is null and search_slot = 0;
create index validator_deposit_waiting on validator_deposit (index) where slot is null and search_slot > 0;
`
