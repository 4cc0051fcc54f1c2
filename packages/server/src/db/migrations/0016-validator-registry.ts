import { type Kysely, sql } from 'kysely'

/** Everyone in the beacon chain's registry: what they earned and did, and what is covered of everyone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

/**
 * `tracked`: asked for, and not only known by the registry. What the one row of `validator_registry` covers is covered of
 * every validator that there is or will be. A body holds the outcomes of a chunk of neighbouring validators, in an epoch or
 * in a day, which is named by its first epoch; a chunk in which nobody had anything has no row. Bodies are deflated already.
 */
const statements = `
alter table validator drop column since, add column tracked boolean not null default true;

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
`
