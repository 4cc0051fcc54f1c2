import { type Kysely, sql } from 'kysely'

/** Calls with keys, counted by hour. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

const statements = `
create table usage_hour (
  account_id bigint not null references account,
  hour timestamptz not null,
  key_id bigint not null references api_key,
  endpoint text not null,
  outcome text not null check (outcome in ('ok', 'input', 'access', 'credits', 'rate', 'busy', 'failed')),
  requests bigint not null check (requests > 0),
  credits bigint not null check (credits >= 0),
  primary key (account_id, hour, key_id, endpoint, outcome)
);
create index usage_hour_hour on usage_hour (hour);
comment on table usage_hour is 'Statistics: a process that is killed loses its last seconds. Money is in credit_line alone.';
`
