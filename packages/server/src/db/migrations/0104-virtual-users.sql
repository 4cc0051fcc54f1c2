-- Append-only: past holdings stay known.
create table virtual_user (
  id uuid primary key default gen_random_uuid(),
  account_id bigint not null references account,
  number bigint generated always as identity,
  type text not null check (type in ('BALANCE', 'CEX')),
  label text not null,
  created_at timestamptz not null default now()
);
create index virtual_user_of_account on virtual_user (account_id, number);

create table virtual_balance_change (
  number bigint generated always as identity primary key,
  virtual_user_id uuid not null references virtual_user on delete cascade,
  chain text,
  contract text,
  symbol text,
  price_source text,
  amount numeric not null check (amount >= 0 and amount < 'infinity'),
  changed_at timestamptz not null,
  recorded_at timestamptz not null default now(),
  check ((chain is null) = (contract is null)),
  check ((symbol is null) = (price_source is null)),
  check ((chain is null) <> (symbol is null))
);
create index virtual_balance_change_latest
  on virtual_balance_change (virtual_user_id, chain, contract, symbol, changed_at desc, number desc);

create function virtual_balance_change_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'virtual_balance_change is append-only';
end $$;
create trigger virtual_balance_change_append_only before update on virtual_balance_change
  for each row execute function virtual_balance_change_is_append_only();

create table exchange_link (
  id uuid primary key default gen_random_uuid(),
  virtual_user_id uuid not null unique references virtual_user on delete cascade,
  exchange text not null,
  secret_id uuid not null unique references secret,
  linked_at timestamptz not null default now()
);

-- However a link ends, nothing is left of its credentials.
create function exchange_link_takes_its_secret() returns trigger language plpgsql as $$
begin
  delete from secret where id = old.secret_id;
  return null;
end $$;
create trigger exchange_link_secret after delete on exchange_link
  for each row execute function exchange_link_takes_its_secret();

create table virtual_user_read (
  virtual_user_id uuid not null references virtual_user on delete cascade,
  source text not null,
  link_id uuid references exchange_link on delete cascade,
  read_at timestamptz not null,
  body jsonb not null,
  primary key (virtual_user_id, source)
);
comment on table virtual_user_read is 'The last good read of each source: a chain, the plain symbols, or a link';
