import { type Kysely, sql } from 'kysely'

/** Invitations have an author and an id to revoke them by. Those of before have none: they end. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

const statements = `
delete from portal_link where kind = 'invitation' and used_at is null;
alter table portal_link
  add id bigint generated always as identity unique,
  add made_by bigint references portal_user on delete cascade,
  add created_at timestamptz not null default coffer_now();
create index portal_link_account on portal_link (account_id) where account_id is not null;
comment on column portal_link.made_by is 'The user who invites; null: coffer-admin';
`
