-- The time of all statements. A test replaces it in a database of its own; nothing else does.
create function coffer_now() returns timestamptz language sql stable as 'select now()';

create table account (
  id bigint generated always as identity primary key,
  name text not null check (name <> ''),
  plan text not null check (plan in ('FREE', 'LITE', 'PRO')),
  entitlements text[] not null default '{}' check (entitlements <@ array['portfolio', 'beacon']),
  address_book_quota integer check (address_book_quota > 0),
  bundle_quota integer check (bundle_quota > 0),
  bundle_size_quota integer check (bundle_size_quota > 0),
  rate_limit_default integer check (rate_limit_default > 0),
  rate_limit_portfolio integer check (rate_limit_portfolio > 0),
  rate_limit_beacon integer check (rate_limit_beacon > 0),
  created_at timestamptz not null default now(),
  cost_method text not null default 'AVG' check (cost_method in ('AVG', 'FIFO', 'LIFO', 'HIFO'))
);

-- secret is null when the pepper comes from the environment; the fingerprint then tells which one it was.
create table api_key_pepper (
  version integer generated always as identity primary key,
  fingerprint bytea not null unique,
  secret bytea,
  created_at timestamptz not null default now()
);

create table api_key (
  id bigint generated always as identity primary key,
  account_id bigint not null references account,
  name text not null check (name <> ''),
  display text not null,
  digest bytea not null unique,
  pepper_version integer not null references api_key_pepper,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_key_account on api_key (account_id);

-- Column order is what rate-limiter-flexible inserts by. Unlogged: a window lost in a crash costs a minute at most.
create unlogged table rate_limit_window (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);

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
