import { sql } from 'kysely'
import type { Db, Trx } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { chargeInTransaction } from '../../credits/credits.ts'
import { tellFollowers } from '../../events/outbox.ts'
import { followAgain } from '../store/followed-wallets.ts'
import { findTroubles } from './sync-progress.ts'

// One sync per wallet, shared by all accounts.

/** New transactions per credit and commit. */
export const PAGE = 250
const FRESH_MS = 10 * 60_000

export type SyncEnd = { state: 'paused' | 'failed' | 'done'; reason: string | null }

export type Requested = 'begun' | 'running' | 'fresh'

/** Continues a paused or failed sync with its count. The caller holds the account's lock. */
export async function insertRequest(
  trx: Trx,
  { accountId, wallet, now }: { accountId: string; wallet: Address; now: number },
): Promise<Requested> {
  const searched = await countSearched(trx, wallet)
  const { rows } = await sql<{ wallet: string }>`
    insert into history_sync as sync (wallet, account_id, state, requested_at, searched_before)
    values (${wallet}, ${accountId}, 'running', ${new Date(now)}, ${JSON.stringify(searched)}::jsonb)
    on conflict (wallet) do update set
      id = case when sync.state = 'done' then excluded.id else sync.id end,
      stored = case when sync.state = 'done' then 0 else sync.stored end,
      account_id = excluded.account_id, state = 'running', requested_at = excluded.requested_at,
      ended_at = null, reason = null, restarts = 0, chain_ends = '{}', searched_before = excluded.searched_before
    where sync.state in ('paused', 'failed')
      or (sync.state = 'done' and sync.completed_at <= ${new Date(now - FRESH_MS)})
    returning wallet`.execute(trx)
  if (rows.length > 0) {
    await followAgain(trx, [wallet])
    return 'begun'
  }
  return (await findSync(trx, wallet))?.state === 'running' ? 'running' : 'fresh'
}

/** Blocks by chain. */
async function countSearched(trx: Trx, wallet: Address): Promise<Record<string, string>> {
  const { rows } = await sql<{ chain: string; blocks: string }>`
    select chain, sum(upper(range) - lower(range))::text as blocks
    from wallet_coverage cross join unnest(blocks) as range
    where wallet = ${wallet} and purpose = 'history' group by chain`.execute(trx)
  return Object.fromEntries(rows.map(({ chain, blocks }) => [chain, blocks]))
}

export async function wouldBe(db: Db, wallet: Address, now: number): Promise<Requested> {
  const sync = await findSync(db, wallet)
  if (sync?.state === 'running') return 'running'
  const completedAt = sync?.state === 'done' ? sync.completed_at?.getTime() : undefined
  return completedAt !== undefined && completedAt > now - FRESH_MS ? 'fresh' : 'begun'
}

/** Runs in the transaction that stores the `fresh` ones; INSUFFICIENT_CREDITS undoes it. */
export async function chargeSync(trx: Trx, wallet: Address, fresh: number): Promise<void> {
  if (fresh === 0) return
  const sync = trx.selectFrom('history_sync').where('wallet', '=', wallet)
  const payer = await sync.select('account_id').executeTakeFirstOrThrow()
  // Account lock before the sync's row, as in `insertRequest`.
  await sql`select credit_lock(array[${payer.account_id}::bigint])`.execute(trx)
  const { id, account_id, stored } = await sync
    .select(['id', 'account_id', 'stored'])
    .forUpdate()
    .executeTakeFirstOrThrow()
  const pages = Math.ceil((stored + fresh) / PAGE)
  const due = pages - Math.ceil(stored / PAGE)
  if (due > 0) await chargeInTransaction(trx, account_id.toString(), due, `sync:${id}:${pages}`)
  await sql`update history_sync set stored = ${stored + fresh} where wallet = ${wallet}`.execute(trx)
}

/** Transactions paid for but not stored yet. */
export async function paidAhead(db: Db, wallet: Address): Promise<number> {
  const stored = (await findSync(db, wallet))?.stored ?? 0
  return Math.ceil(stored / PAGE) * PAGE - stored
}

/** Returns false if the sync has ended. */
export async function beginSync(db: Db, wallet: Address): Promise<boolean> {
  const row = await updateRunning(db, wallet).set({ chain_ends: sql`'{}'` }).returning('wallet').executeTakeFirst()
  return row !== undefined
}

export async function endChain(db: Db, { wallet, chain }: WalletOnChain, { state, reason }: SyncEnd): Promise<void> {
  const end = JSON.stringify({ [chain]: { state, reason } })
  await updateRunning(db, wallet)
    .set({ chain_ends: sql`chain_ends || ${end}::jsonb` })
    .execute()
}

export async function endSync(db: Db, wallet: Address, { state, reason }: SyncEnd, now: number): Promise<void> {
  const at = new Date(now)
  await db.transaction().execute(async (trx) => {
    const ended = await updateRunning(trx, wallet)
      .set({ state, reason, ended_at: at, ...(state === 'done' && { completed_at: at }) })
      .returning(['stored', 'chain_ends'])
      .execute()
    const troubles = state === 'done' ? await findTroubles(trx, [wallet]) : []
    const events = ended.map(({ stored, chain_ends }) => {
      const hasGaps = troubles.some(({ chain }) => chain in chain_ends)
      const reported = hasGaps ? ('done-with-gaps' as const) : state
      return { data: { address: wallet, state: reported, reason, newTransactions: stored } }
    })
    await tellFollowers(trx, 'sync.ended', wallet, events)
  })
}

/** Returns the number of restarts; undefined if the sync has ended. */
export async function noteRestart(trx: Trx, wallet: Address): Promise<number | undefined> {
  const row = await updateRunning(trx, wallet)
    .set(({ eb }) => ({ restarts: eb('restarts', '+', 1) }))
    .returning('restarts')
    .executeTakeFirst()
  return row?.restarts
}

const updateRunning = (db: Db, wallet: Address) =>
  db.updateTable('history_sync').where((eb) => eb.and({ wallet, state: 'running' }))

export const findSync = (db: Db, wallet: Address) =>
  db.selectFrom('history_sync').selectAll().where('wallet', '=', wallet).executeTakeFirst()
