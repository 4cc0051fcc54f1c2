-- A wallet has the coverage of one set of logs.
create table wallet_read (
  wallet text not null,
  chain text not null,
  block numeric(78,0) not null,
  block_time timestamptz not null,
  read_at timestamptz not null,
  body jsonb not null,
  plan jsonb not null,
  block_hash text,
  begun_at timestamptz not null,
  searched_at timestamptz,
  search_refused boolean not null default false,
  search_unasked boolean not null default false,
  primary key (wallet, chain)
);
comment on column wallet_read.searched_at is
  'When the search for what no list names had last come to its end; null before the first time';
comment on column wallet_read.search_refused is 'Whether no endpoint allows that search';
comment on column wallet_read.search_unasked is 'Whether the last search left contracts that are still to be asked';

create table wallet_token (
  wallet text not null,
  chain text not null,
  address text not null,
  primary key (wallet, chain, address)
);

create table wallet_key (
  wallet text not null,
  chain text not null,
  contract text not null,
  key numeric(78,0) not null,
  block bigint not null,
  primary key (wallet, chain, contract, key)
);
create index wallet_key_in_order on wallet_key (wallet, chain, contract, block, key);
comment on table wallet_key is
  'What logs of a contract gave to a wallet under a key, for example an NFT; it may have left the wallet since';
comment on column wallet_key.block is 'Of a log that named it; the oldest and the newest are read where there are too many';

create table wallet_due_contract (
  wallet text not null,
  chain text not null,
  address text not null,
  block bigint not null,
  sent boolean not null,
  primary key (wallet, chain, address)
);
create index wallet_due_contract_in_order on wallet_due_contract (wallet, chain, block, address);
comment on table wallet_due_contract is
  'Contracts that logs of a wallet name, before they are asked what they are; anyone can create any number of them';
comment on column wallet_due_contract.block is 'Of the newest log that named it when it was found';
comment on column wallet_due_contract.sent is 'It is a token that was sent; others count only where a protocol recognises them';

create table wallet_program (
  wallet text not null,
  chain text not null,
  program text not null,
  primary key (wallet, chain, program)
);

create table wallet_coverage (
  wallet text not null,
  chain text not null,
  purpose text not null,
  logs text not null default '',
  blocks int8multirange not null,
  heads jsonb not null default '[]',
  primary key (wallet, chain, purpose)
);
comment on table wallet_coverage is 'Blocks of a chain that were searched for a wallet';
comment on column wallet_coverage.purpose is
  'What they were searched for; native: blocks of the history in which every movement of the native coin is known';
comment on column wallet_coverage.logs is
  'The set of logs that was searched beside transfers of tokens; a search for another set begins anew';
comment on column wallet_coverage.heads is
  'Blocks at which searches ended, newest first, with the hashes they had then: blocks up to one count while the chain has it';

create table wallet_use (
  wallet text primary key,
  used_on date not null
);
create index wallet_use_by_day on wallet_use (used_on, wallet);
