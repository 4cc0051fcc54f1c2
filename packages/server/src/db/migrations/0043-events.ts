import { type Kysely, sql } from 'kysely'

/** What accounts are told of, and where it is sent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

/**
 * A row of the outbox is written with its fact and moved to `event` soon after its commit, by one process at a time, so that
 * ids of `event` become visible in their order. A lane holds the deliveries of one subject to one webhook and sends one at a
 * time; `next_at` is null while it is empty.
 */
const statements = `
create table webhook (
  id uuid primary key,
  account_id bigint not null references account,
  url text not null check (url <> ''),
  kinds text[] not null check (cardinality(kinds) > 0),
  enabled boolean not null default true,
  secret_id uuid not null references secret,
  old_secret_id uuid references secret,
  old_secret_until timestamptz,
  created_at timestamptz not null default coffer_now(),
  check ((old_secret_id is null) = (old_secret_until is null))
);
create index webhook_account on webhook (account_id);

create table event_stream (
  account_id bigint primary key references account,
  heard_at timestamptz not null
);

create table event_outbox (
  id bigint generated always as identity primary key,
  account_id bigint not null,
  webhook_id uuid,
  kind text not null check (kind <> ''),
  subject text not null,
  data jsonb not null,
  at timestamptz not null default coffer_now()
);

create table event (
  id bigint generated always as identity primary key,
  account_id bigint not null references account,
  webhook_id uuid,
  kind text not null,
  subject text not null,
  data jsonb not null,
  at timestamptz not null
);
create index event_account on event (account_id, id);
create index event_at on event (at);

create table webhook_delivery (
  id bigint generated always as identity primary key,
  webhook_id uuid not null references webhook on delete cascade,
  event_id bigint not null references event on delete cascade,
  subject text not null,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'dead')),
  since timestamptz not null default coffer_now(),
  attempts integer not null default 0,
  tried_at timestamptz,
  status integer,
  error text,
  response text,
  unique (event_id, webhook_id)
);
create index webhook_delivery_waiting on webhook_delivery (webhook_id, subject, event_id) where state = 'waiting';
create index webhook_delivery_dead on webhook_delivery (webhook_id) where state = 'dead';
create index webhook_delivery_list on webhook_delivery (webhook_id, id);

create table webhook_lane (
  webhook_id uuid not null references webhook on delete cascade,
  subject text not null,
  next_at timestamptz,
  failures integer not null default 0,
  claim bigint not null default 0,
  primary key (webhook_id, subject)
);
create index webhook_lane_due on webhook_lane (webhook_id, next_at) where next_at is not null;
`
