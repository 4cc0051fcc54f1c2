-- A renewal after the end is another row. Every day before `next_date` has a snapshot or gap. Without an account: of
-- the day's first block; with one: taken when a subscription began.
create table snapshot_subscription (
  account_id bigint not null references account,
  address text not null,
  subscribed_at timestamptz not null,
  expires_at timestamptz not null,
  description text,
  next_date date not null,
  is_passing boolean not null default false,
  primary key (account_id, address, subscribed_at),
  check (expires_at > subscribed_at)
);
create index snapshot_subscription_of_address on snapshot_subscription (address, next_date);

create table wallet_snapshot (
  id bigint generated always as identity primary key,
  address text not null,
  date date not null,
  account_id bigint references account,
  reads jsonb not null
);
create unique index wallet_snapshot_once on wallet_snapshot (address, date, coalesce(account_id, 0));

create table account_snapshot (
  account_id bigint not null references account,
  address text not null,
  date date not null,
  snapshot_id bigint not null references wallet_snapshot,
  primary key (account_id, address, date)
);

create table snapshot_gap (
  account_id bigint not null references account,
  address text not null,
  date date not null,
  chain text not null,
  reason text not null check (reason in ('no-state', 'unreadable')),
  primary key (account_id, address, date)
);
comment on column snapshot_subscription.is_passing is 'Its snapshots can be taken in their hour alone: they go first';

-- Reads at blocks that may still be replaced, kept until they are final. at: Unix seconds of the moment whose first block was
-- read.
create table snapshot_early_read (
  wallet text not null,
  at bigint not null,
  chain text not null,
  block_hash text not null,
  read jsonb not null,
  primary key (wallet, at, chain)
);
