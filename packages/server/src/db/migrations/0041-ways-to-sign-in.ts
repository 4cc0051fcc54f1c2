import { type Kysely, sql } from 'kysely'

/** Accounts at an OpenID provider that sign users in, where contracts of wallets are asked, and passwords that were wrong. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

const statements = `
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

alter table portal_challenge drop constraint portal_challenge_purpose_check,
  add constraint portal_challenge_purpose_check
    check (purpose in ('link', 'sign-in', 'proof', 'passkey', 'wallet', 'wallet-sign-in', 'openid'));

alter table portal_wallet add chain text;
comment on column portal_wallet.chain is 'Where the contract of the wallet is asked; null: its key signs';

create table portal_failed_password (
  subject text primary key,
  failures integer not null,
  failed_at timestamptz not null,
  wait_until timestamptz not null
);
create index portal_failed_password_at on portal_failed_password (failed_at);
`
