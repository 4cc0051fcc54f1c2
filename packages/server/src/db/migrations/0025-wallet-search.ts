import { type Kysely, sql } from 'kysely'

/** When a stored read of a wallet began, and how far the search for what no list names has come beside it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

const statements = `
alter table wallet_read
  add column begun_at timestamptz,
  add column searched_at timestamptz,
  add column search_refused boolean not null default false;
update wallet_read set begun_at = read_at;
alter table wallet_read alter column begun_at set not null;

comment on column wallet_read.searched_at is
  'When the search for what no list names had last come to its end; null before the first time';
comment on column wallet_read.search_refused is 'Whether no endpoint allows that search';
`
