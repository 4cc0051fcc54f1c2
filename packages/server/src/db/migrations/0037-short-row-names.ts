import { type Kysely, sql } from 'kysely'

/**
 * Catalog rows were named by their whole deployment, and an index of PostgreSQL takes 2,700 bytes. They are named by its
 * hash now. What is stored of a row stays with it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

const shortName = `split_part(protocol_row, ' ', 1) || ' '
  || left(encode(sha256(convert_to(substr(protocol_row, strpos(protocol_row, ' ') + 1), 'UTF8')), 'hex'), 32)`

const statements = `
update instrument set protocol_row = ${shortName};
update instrument_discovery set protocol_row = ${shortName};
`
