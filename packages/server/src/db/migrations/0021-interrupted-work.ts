import { type Kysely, sql } from 'kysely'

/** What is known of work that was cut off or fails again and again: syncs that were restarted, wallets that are set aside. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

const statements = `
-- How often the queue gave a sync up and it was begun again.
alter table history_sync add column restarts integer not null default 0;

-- When the follower last took a wallet on a chain.
create table history_follow (
  chain text not null,
  wallet text not null,
  followed_at timestamptz not null,
  primary key (chain, wallet)
);

-- Wallets whose search or pricing fails; they are tried again from \`retry_at\` on, so that the others go on.
create table history_set_aside (
  chain text not null,
  wallet text not null,
  step text not null check (step in ('search', 'price')),
  failures integer not null default 1,
  reason text not null,
  since timestamptz not null,
  retry_at timestamptz not null,
  primary key (chain, wallet, step)
);
`
