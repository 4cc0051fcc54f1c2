import { type Kysely, sql } from 'kysely'

/** What accounts want to be told of. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

const statements = `
create table watch (
  id uuid primary key,
  account_id bigint not null references account,
  type text not null check (type in ('netWorth', 'balance', 'credits', 'validator', 'airdrops')),
  address text,
  chain text,
  contract text,
  validator text,
  validator_index bigint,
  is_above boolean,
  threshold numeric,
  is_past boolean,
  value numeric,
  known jsonb,
  incomplete jsonb not null default '[]',
  claim bigint not null default 0,
  checked_at timestamptz,
  settled_at timestamptz,
  created_at timestamptz not null default coffer_now(),
  check ((address is not null) = (type in ('netWorth', 'balance', 'airdrops'))),
  check ((chain is not null and contract is not null) = (type = 'balance')),
  check ((validator is not null) = (type = 'validator')),
  check ((threshold is not null and is_above is not null) = (type in ('netWorth', 'balance', 'credits')))
);
create index watch_account on watch (account_id);
create index watch_address on watch (address) where address is not null;
create index watch_validator on watch (validator_index) where validator_index is not null;

comment on column watch.is_past is 'Past its threshold, or slashed; null while that is not known';
comment on column watch.known is
  'Of net worth, whether each token had a price by chain and contract; of airdrops, the distributors that were seen';
comment on column watch.claim is 'Counts who looked, so that only the last one may settle it';
comment on column watch.settled_at is 'When it was last known';
`
