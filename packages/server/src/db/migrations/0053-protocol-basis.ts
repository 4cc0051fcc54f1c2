import { type Kysely, sql } from 'kysely'

/** How unlisted contracts show their protocol. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

const statements = `
alter table history_transaction
  add column protocol_basis text check (protocol_basis in ('factory', 'implementation', 'name'));
comment on column history_transaction.protocol_basis is
  'How a contract that no list names showed its protocol; null: the protocol is of a list, or there is none';
`
