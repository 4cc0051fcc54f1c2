import { type Kysely, sql } from 'kysely'

/** Programs that wallets on Solana have used, with the slots that were searched for them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

const statements = `
create table wallet_program (
  wallet text not null,
  chain text not null,
  program text not null,
  primary key (wallet, chain, program)
);

create table wallet_program_coverage (
  wallet text not null,
  chain text not null,
  from_block bigint not null,
  to_block bigint not null,
  primary key (wallet, chain, from_block)
);
`
