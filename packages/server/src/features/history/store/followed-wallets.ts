import { type RawBuilder, sql } from 'kysely'
import { rowTable } from '../../../db/row-table.ts'
import type { Db, Trx } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'

// `history_follow` has a row for each whole history that a reason keeps followed. A claim removes rows without one.

/** Nodes accept some thousand topics in a filter. */
export const TOGETHER = 500
/** After the last request for the history. */
const REQUESTED_DAYS = 30

/** Less than a round's minute, so that the next round finds the wallet due. */
const leaseEnd = sql`now() + interval '50 s'`

/** For a history that became whole. */
export async function followWhole(trx: Trx, chain: string, wallets: readonly Address[]): Promise<void> {
  await sql`
    insert into history_follow (chain, wallet, due_at)
    select ${chain}, wallet, now() from unnest(${wallets}::text[]) as wallet order by wallet
    on conflict do nothing`.execute(trx)
}

/** After a new reason, in its transaction: a claim skips the locked rows, or sees the reason. */
export async function followAgain(db: Db, wallets: readonly Address[]): Promise<void> {
  const { rows: whole } = await sql<WalletOnChain>`
    select chain, wallet from history_state where wallet = any (${wallets})`.execute(db)
  await sql`
    insert into history_follow (chain, wallet, due_at)
    select chain, wallet, now() from ${rowTable('whole', { chain: 'text', wallet: 'text' }, whole)} order by chain, wallet
    on conflict (chain, wallet) do update set due_at = excluded.due_at where false`.execute(db)
}

/** Claims wallets, longest due first, until the lease ends. */
export async function claimDue(db: Db, chain: string): Promise<Address[]> {
  for (;;) {
    const { due, followed } = await db.transaction().execute((trx) => claimSome(trx, chain))
    if (due.length === 0 || followed.length > 0) return followed
  }
}

async function claimSome(trx: Trx, chain: string): Promise<{ due: Address[]; followed: Address[] }> {
  const due = await lease(trx, chain, sql`due_at <= now() order by due_at, wallet limit ${TOGETHER}`)
  // Its snapshot begins after the locks: no reason can be committed in between.
  const reasons = await findReasons(trx, due)
  const gone = due.filter((wallet) => !reasons.has(wallet))
  if (gone.length > 0) {
    for (const table of ['history_follow', 'history_set_aside'] as const) {
      await sql`delete from ${sql.table(table)} where chain = ${chain} and wallet = any (${gone})`.execute(trx)
    }
  }
  return { due, followed: due.filter((wallet) => reasons.has(wallet)) }
}

/** Prolongs the lease while the work lasts. */
export async function renewClaim(db: Db, chain: string, wallets: readonly Address[]): Promise<void> {
  await lease(db, chain, sql`wallet = any (${wallets}) order by wallet`)
}

async function lease(db: Db, chain: string, which: RawBuilder<unknown>): Promise<Address[]> {
  const { rows } = await sql<{ wallet: Address }>`
    update history_follow set due_at = greatest(due_at, ${leaseEnd})
    where chain = ${chain} and wallet = any (array(
      select wallet from history_follow where chain = ${chain} and ${which} for update skip locked))
    returning wallet`.execute(db)
  return rows.map(({ wallet }) => wallet)
}

async function findReasons(trx: Trx, wallets: readonly Address[]): Promise<ReadonlySet<Address>> {
  if (wallets.length === 0) return new Set()
  const { rows } = await sql<{ wallet: Address }>`
    select wallet from history_sync
    where wallet = any (${wallets}) and requested_at > coffer_now() - make_interval(days => ${REQUESTED_DAYS})
    union all
    select address from address_book_entry
    where address = any (${wallets}) and plan <> 'FREE' and expires_at > coffer_now()
    union all
    select address from snapshot_subscription
    where address = any (${wallets}) and expires_at > coffer_now()`.execute(trx)
  return new Set(rows.map(({ wallet }) => wallet))
}

/** By chain, at most `limit` each. */
export async function countDue(db: Db, chains: readonly string[], limit: number) {
  const { rows } = await sql<{ chain: string; wallets: number }>`
    select chain, (select count(*)::integer from (
      select from history_follow as follow where follow.chain = enabled.chain and due_at <= now()
      order by due_at limit ${limit}) as due) as wallets
    from unnest(${chains}::text[]) as enabled (chain)`.execute(db)
  return rows
}

/** Until its history is whole again. */
export async function unfollow(db: Db, chain: string, wallet: Address): Promise<void> {
  await sql`delete from history_follow where chain = ${chain} and wallet = ${wallet}`.execute(db)
}
