-- Worth of a wallet on a chain, by protocol, at the last block at or before a time (Unix seconds). `protocols` is null if
-- the block could not be read, `block` if the chain began later. Settled points are never computed again.
create table wallet_point (
  wallet text not null,
  chain text not null,
  time bigint not null,
  block bigint,
  block_time bigint,
  protocols jsonb,
  gaps jsonb not null,
  is_settled boolean not null,
  computed_at timestamptz not null,
  primary key (wallet, chain, time)
);
