import { type Kysely, sql } from 'kysely'

/** Token accounts of wallets on Solana, closed ones too: a transfer names them and not the wallet. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

const statements = `
create table history_token_account (
  wallet text not null,
  chain text not null,
  account text not null,
  primary key (wallet, chain, account)
);
`
