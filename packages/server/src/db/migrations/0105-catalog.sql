-- Independent of wallets.
create table token (
  chain text not null,
  address text not null,
  symbol text,
  name text,
  decimals smallint,
  asked_at timestamptz not null default now(),
  primary key (chain, address)
);
comment on table token is 'Metadata read from chains; a row without decimals is a contract that is no token';
comment on column token.asked_at is 'When the contract was asked; one that was no token then may be one by now';

create table instrument (
  chain text not null,
  protocol_row text not null,
  address text not null,
  role text not null,
  fungible boolean not null,
  underlyings jsonb not null,
  data jsonb,
  dropped_at timestamptz,
  also_shown jsonb not null default '[]',
  primary key (chain, protocol_row, address)
);
create index instrument_by_address on instrument (chain, address);
comment on column instrument.dropped_at is 'Since when it is not read: it refuses to be read, or is not recognised any more';
comment on column instrument.also_shown is
  'Tokens that positions may show beside the underlyings, such as collateral and rewards: priced with the first reads';

create table instrument_discovery (
  chain text not null,
  protocol_row text not null,
  discovered_at timestamptz not null,
  primary key (chain, protocol_row)
);

create table refusing_token (
  chain text not null,
  address text not null,
  since timestamptz not null default now(),
  primary key (chain, address)
);
comment on table refusing_token is 'Listed tokens whose contracts refuse to report balances';

create table chain_genesis (
  chain text primary key,
  hash text not null,
  learned_at timestamptz not null default now()
);
