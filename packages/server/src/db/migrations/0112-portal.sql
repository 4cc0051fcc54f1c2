create table portal_user (
  id bigint generated always as identity primary key,
  name text not null check (name <> ''),
  password text,
  is_operator boolean not null default false,
  totp_secret_id uuid references secret,
  totp_pending_id uuid references secret,
  totp_step bigint,
  created_at timestamptz not null default coffer_now()
);
comment on column portal_user.password is 'argon2id with its parameters and salt; null: signs in otherwise';
comment on column portal_user.totp_pending_id is 'Of which no code was confirmed yet';
comment on column portal_user.totp_step is 'The last time step of which a code was taken: a code is good once';
create unique index portal_user_name on portal_user (lower(name));

alter table secret alter account_id drop not null, add user_id bigint references portal_user on delete cascade,
  add check (num_nonnulls(account_id, user_id) = 1);

create table portal_recovery_code (
  user_id bigint not null references portal_user on delete cascade,
  digest bytea not null,
  primary key (user_id, digest)
);

create table portal_wallet (
  address text primary key,
  user_id bigint not null references portal_user on delete cascade,
  created_at timestamptz not null default coffer_now(),
  last_used_at timestamptz,
  chain text
);
create index portal_wallet_user on portal_wallet (user_id);
comment on column portal_wallet.chain is 'Where the contract of the wallet is asked; null: its key signs';

create table portal_member (
  user_id bigint not null references portal_user on delete cascade,
  account_id bigint not null references account,
  role text not null check (role in ('viewer', 'accountant', 'owner')),
  created_at timestamptz not null default coffer_now(),
  primary key (user_id, account_id)
);
create index portal_member_account on portal_member (account_id);

create table portal_session (
  id bigint generated always as identity primary key,
  digest bytea not null unique,
  user_id bigint not null references portal_user on delete cascade,
  address text not null,
  agent text not null,
  created_at timestamptz not null default coffer_now(),
  seen_at timestamptz not null default coffer_now(),
  proved_at timestamptz not null default coffer_now()
);
create index portal_session_user on portal_session (user_id);
comment on column portal_session.proved_at is 'When the user last proved who it is';

create table portal_passkey (
  id text primary key,
  user_id bigint not null references portal_user on delete cascade,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null check (name <> ''),
  created_at timestamptz not null default coffer_now(),
  last_used_at timestamptz
);
create index portal_passkey_user on portal_passkey (user_id);

create table portal_identity (
  id bigint generated always as identity primary key,
  issuer text not null,
  subject text not null,
  user_id bigint not null references portal_user on delete cascade,
  label text not null,
  created_at timestamptz not null default coffer_now(),
  last_used_at timestamptz,
  unique (issuer, subject)
);
create index portal_identity_user on portal_identity (user_id);
comment on column portal_identity.label is 'What the issuer calls it, for people: no user is found by it';

create table portal_failed_password (
  subject text primary key,
  failures integer not null,
  failed_at timestamptz not null,
  wait_until timestamptz not null
);
create index portal_failed_password_at on portal_failed_password (failed_at);

create table portal_challenge (
  challenge text primary key,
  purpose text not null check (purpose in ('link', 'sign-in', 'proof', 'passkey', 'wallet', 'wallet-sign-in', 'openid')),
  subject text not null,
  expires_at timestamptz not null,
  origin text not null,
  opened_by text not null,
  session_id bigint
);
create index portal_challenge_opener on portal_challenge (opened_by, expires_at);
create index portal_challenge_session on portal_challenge (session_id, expires_at) where session_id is not null;
comment on column portal_challenge.subject is 'Whom it was made for: the digest of a link, the id of a user or the address of a wallet; empty for a sign-in';
comment on column portal_challenge.origin is 'Under which the portal was reached; the answer has to come under the same';
comment on column portal_challenge.opened_by is 'The signed-in user, else the network of the caller';
comment on column portal_challenge.session_id is 'Of the signed-in user; null: no one was signed in';

create table portal_link (
  digest bytea primary key,
  kind text not null check (kind in ('setup', 'invitation', 'recovery')),
  account_id bigint references account,
  role text check (role in ('viewer', 'accountant', 'owner')),
  user_id bigint references portal_user on delete cascade,
  expires_at timestamptz not null,
  used_at timestamptz,
  id bigint generated always as identity unique,
  made_by bigint references portal_user on delete cascade,
  created_at timestamptz not null default coffer_now(),
  check ((kind = 'invitation') = (account_id is not null and role is not null)),
  check ((kind = 'recovery') = (user_id is not null))
);
create index portal_link_account on portal_link (account_id) where account_id is not null;
comment on column portal_link.made_by is 'The user who invites; null: coffer-admin';

create table audit_event (
  id bigint generated always as identity primary key,
  at timestamptz not null default coffer_now(),
  account_id bigint,
  user_id bigint,
  user_name text not null,
  action text not null,
  detail jsonb not null default '{}',
  address text not null
);
create index audit_event_account on audit_event (account_id, id);
create function audit_event_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'audit_event is append-only';
end $$;
create trigger audit_event_append_only before update or delete on audit_event
  for each row execute function audit_event_is_append_only();
create trigger audit_event_no_truncate before truncate on audit_event
  for each statement execute function audit_event_is_append_only();
