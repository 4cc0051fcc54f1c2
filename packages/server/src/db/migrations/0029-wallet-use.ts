import { type Kysely, sql } from 'kysely'

/** When each wallet was last asked for, so that what nobody asks for any more can go. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

const statements = `
create table wallet_use (
  wallet text primary key,
  used_on date not null
);
create index wallet_use_by_day on wallet_use (used_on, wallet);
`
