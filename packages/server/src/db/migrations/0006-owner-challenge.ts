import { type Kysely, sql } from 'kysely'

/** Texts that the owner of a wallet is asked to sign. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

/** At most one for each entry; it goes when it was signed, and with its entry. */
const statements = `
create table owner_challenge (
  account_id bigint not null,
  address text not null,
  text text not null,
  expires_at timestamptz not null,
  primary key (account_id, address),
  foreign key (account_id, address) references address_book_entry on delete cascade
);
`
