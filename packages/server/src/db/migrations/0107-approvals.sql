-- `block_time`: read when first shown.
create table approval (
  wallet text not null,
  chain text not null,
  block bigint not null,
  log_index integer not null,
  block_hash text not null,
  block_time timestamptz,
  hash text not null,
  contract text not null,
  spender text not null,
  amount numeric(78,0) not null,
  primary key (wallet, chain, block, log_index)
);
