import { type Kysely, sql } from 'kysely'

/** Challenges name the origin that they were made for and who opened them. Open ones end: they last five minutes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

const statements = `
delete from portal_challenge;
alter table portal_challenge
  add origin text not null,
  add opened_by text not null,
  add session_id bigint;
create index portal_challenge_opener on portal_challenge (opened_by, expires_at);
create index portal_challenge_session on portal_challenge (session_id, expires_at) where session_id is not null;
comment on column portal_challenge.origin is 'Under which the portal was reached; the answer has to come under the same';
comment on column portal_challenge.opened_by is 'The signed-in user, else the network of the caller';
comment on column portal_challenge.session_id is 'Of the signed-in user; null: no one was signed in';
`
