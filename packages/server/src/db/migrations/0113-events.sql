-- One process at a time moves outbox rows to `event`, so that ids become visible in order. A queue sends one delivery
-- at a time; `next_at` null: empty.
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

create table watch (
  id uuid primary key,
  account_id bigint not null references account,
  type text not null check (type in ('netWorth', 'balance', 'credits', 'validator', 'airdrops')),
  address text,
  chain text,
  contract text,
  validator text,
  validator_index bigint,
  is_above boolean,
  threshold numeric,
  is_past boolean,
  value numeric,
  known jsonb,
  incomplete jsonb not null default '[]',
  claim bigint not null default 0,
  checked_at timestamptz,
  settled_at timestamptz,
  created_at timestamptz not null default coffer_now(),
  check ((address is not null) = (type in ('netWorth', 'balance', 'airdrops'))),
  check ((chain is not null and contract is not null) = (type = 'balance')),
  check ((validator is not null) = (type = 'validator')),
  check ((threshold is not null and is_above is not null) = (type in ('netWorth', 'balance', 'credits')))
);
create index watch_account on watch (account_id);
create index watch_address on watch (address) where address is not null;
create index watch_validator on watch (validator_index) where validator_index is not null;

comment on column watch.is_past is 'Past its threshold, or slashed; null while that is not known';
comment on column watch.known is
  'Of net worth, whether each token had a price by chain and contract; of airdrops, the distributors that were seen';
comment on column watch.claim is 'Counts who looked, so that only the last one may settle it';
comment on column watch.settled_at is 'When it was last known';
