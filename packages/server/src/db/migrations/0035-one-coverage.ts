import { type Kysely, sql } from 'kysely'

/** One table for the searched blocks of wallets, and the blocks at which searches ended, whatever was searched for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

const purposes = {
  approvals: 'approval_coverage',
  programs: 'wallet_program_coverage',
  history: 'history_coverage',
  native: 'history_native_coverage',
}

const copies = Object.entries(purposes).map(
  ([purpose, table]) => `
insert into wallet_coverage (wallet, chain, purpose, blocks)
  select wallet, chain, '${purpose}', range_agg(int8range(from_block, to_block, '[]')) from ${table} group by wallet, chain;
drop table ${table};`,
)

/** A wallet has the coverage of one set of logs at a time; rows without a set are older than those with one. */
const statements = `
create table wallet_coverage (
  wallet text not null,
  chain text not null,
  purpose text not null,
  logs text not null default '',
  blocks int8multirange not null,
  heads jsonb not null default '[]',
  primary key (wallet, chain, purpose)
);
comment on table wallet_coverage is 'Blocks of a chain that were searched for a wallet';
comment on column wallet_coverage.purpose is
  'What they were searched for; native: blocks of the history in which every movement of the native coin is known';
comment on column wallet_coverage.logs is
  'The set of logs that was searched beside transfers of tokens; a search for another set begins anew';
comment on column wallet_coverage.heads is
  'Blocks at which searches ended, newest first, with the hashes they had then: blocks up to one count while the chain has it';
${copies.join('')}

insert into wallet_coverage (wallet, chain, purpose, logs, blocks)
  select distinct on (wallet, chain) wallet, chain, 'logs', logs, range_agg(int8range(from_block, to_block, '[]'))
  from wallet_log_coverage group by wallet, chain, logs order by wallet, chain, logs desc;
drop table wallet_log_coverage;

update wallet_coverage as stored set heads = ended.heads from searched_heads as ended
  where ended.wallet = stored.wallet and ended.chain = stored.chain
    and (ended.coverage, stored.purpose) in (('approval_coverage', 'approvals'), ('wallet_log_coverage', 'logs'));
drop table searched_heads;
`
