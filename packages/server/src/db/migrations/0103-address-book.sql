-- `number`: insertion order. The service checks quotas, names and sets under the account's lock.
create table address_book_entry (
  account_id bigint not null references account,
  address text not null,
  number bigint generated always as identity,
  label text not null,
  plan text not null default 'FREE' check (plan in ('FREE', 'LITE', 'PRO')),
  expires_at timestamptz,
  owner_authorized boolean not null default false,
  primary key (account_id, address),
  check ((plan = 'FREE') = (expires_at is null))
);

create table bundle (
  id uuid primary key default gen_random_uuid(),
  account_id bigint not null references account,
  number bigint generated always as identity,
  name text not null check (name <> ''),
  unique (account_id, name),
  unique (account_id, id)
);

create table bundle_member (
  account_id bigint not null,
  bundle_id uuid not null,
  address text not null,
  number bigint generated always as identity,
  primary key (account_id, bundle_id, address),
  foreign key (account_id, bundle_id) references bundle (account_id, id) on delete cascade,
  foreign key (account_id, address) references address_book_entry on delete cascade
);
create index bundle_member_of_entry on bundle_member (account_id, address);

-- At most one for each entry; it goes when it was signed, and with its entry.
create table owner_challenge (
  account_id bigint not null,
  address text not null,
  text text not null,
  expires_at timestamptz not null,
  primary key (account_id, address),
  foreign key (account_id, address) references address_book_entry on delete cascade
);
