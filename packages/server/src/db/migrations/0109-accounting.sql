-- `revision` keeps overlapping runs apart. `lacking`: tokens with unknown decimals.
-- Cost and gain of what lies in `scope`: one wallet, or those of an account's address book.
create table accounting (
  scope text primary key,
  method text not null,
  seen jsonb not null,
  state jsonb not null,
  computed_at timestamptz not null,
  revision bigint not null default 1,
  lacking jsonb not null default '[]'
);
comment on column accounting.seen is
  'By wallet, chain and the blocks that are known of it, the last change that was processed';

create table accounting_day (
  scope text not null references accounting on delete cascade,
  day date not null,
  state jsonb not null,
  primary key (scope, day)
);

create table accounting_result (
  scope text not null,
  wallet text not null,
  chain text not null,
  block bigint not null,
  tx_index integer not null,
  place integer not null,
  at timestamptz not null,
  cost_basis numeric,
  closed_pnl numeric,
  primary key (scope, wallet, chain, block, tx_index, place)
);
create index accounting_result_at on accounting_result (scope, at);
