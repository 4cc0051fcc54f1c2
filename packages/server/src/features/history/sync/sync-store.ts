import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { chargeInTransaction } from '../../credits/credits.ts'
import { tellFollowers } from '../../events/outbox.ts'
import { findTroubles } from './sync-progress.ts'

/** New transactions per credit and commit. */
export const PAGE = 250
/** A sync completed more recently is not repeated. */
const FRESH_MS = 10 * 60_000

/** Unix milliseconds. `stored`: new transactions paid for. */
export type Sync = {
  wallet: Address
  state: 'running' | 'paused' | 'failed' | 'done'
  stored: number
  requestedAt: number
  completedAt: number | null
  reason: string | null
}

export type SyncEnd = { state: 'paused' | 'failed' | 'done'; reason: string | null }

export type Requested = 'begun' | 'running' | 'fresh'

export type SyncStore = ReturnType<typeof createSyncStore>

/** One sync per wallet, shared by all accounts. */
export function createSyncStore(db: Kysely<Tables>) {
  /**
   * A paused or failed sync continues with its count. `fresh`: the last one completed less than 10 minutes ago. The
   * caller holds the account's lock.
   */
  async function request(
    trx: Transaction<Tables>,
    { accountId, wallet, now }: { accountId: string; wallet: Address; now: number },
  ): Promise<Requested> {
    const { rows } = await sql<{ wallet: string }>`
      insert into history_sync as sync (wallet, account_id, state, requested_at, searched_before)
      values (${wallet}, ${accountId}, 'running', ${new Date(now)}, (
        select coalesce(jsonb_object_agg(chain, blocks), '{}') from (
          select chain, sum(upper(range) - lower(range))::text as blocks
          from wallet_coverage cross join unnest(blocks) as range
          where wallet = ${wallet} and purpose = 'history' group by chain) as searched))
      on conflict (wallet) do update set
        id = case when sync.state = 'done' then nextval(pg_get_serial_sequence('history_sync', 'id')) else sync.id end,
        stored = case when sync.state = 'done' then 0 else sync.stored end,
        account_id = excluded.account_id, state = 'running', requested_at = excluded.requested_at,
        ended_at = null, reason = null, restarts = 0, chain_ends = '{}', searched_before = excluded.searched_before
      where sync.state in ('paused', 'failed')
        or (sync.state = 'done' and sync.completed_at <= ${new Date(now - FRESH_MS)})
      returning wallet`.execute(trx)
    if (rows.length > 0) return 'begun'
    const found = await findSyncs(trx, [wallet])
    return found.get(wallet)?.state === 'running' ? 'running' : 'fresh'
  }

  async function wouldBe(wallet: Address, now: number): Promise<Requested> {
    const sync = (await find([wallet])).get(wallet)
    if (sync?.state === 'running') return 'running'
    const isFresh = sync?.state === 'done' && sync.completedAt !== null && sync.completedAt > now - FRESH_MS
    return isFresh ? 'fresh' : 'begun'
  }

  /** Runs in the transaction that stores them, which INSUFFICIENT_CREDITS undoes. */
  async function charge(trx: Transaction<Tables>, wallet: Address, fresh: number): Promise<void> {
    if (fresh === 0) return
    const payer = await trx
      .selectFrom('history_sync')
      .select('account_id')
      .where('wallet', '=', wallet)
      .executeTakeFirstOrThrow()
    // Account lock before the sync's row, as in `request`.
    await sql`select credit_lock(array[${payer.account_id}::bigint])`.execute(trx)
    const { id, account_id, stored } = await trx
      .selectFrom('history_sync')
      .select(['id', 'account_id', 'stored'])
      .where('wallet', '=', wallet)
      .forUpdate()
      .executeTakeFirstOrThrow()
    const pages = Math.ceil((stored + fresh) / PAGE)
    const due = pages - Math.ceil(stored / PAGE)
    if (due > 0) await chargeInTransaction(trx, account_id.toString(), due, `sync:${id}:${pages}`)
    await trx
      .updateTable('history_sync')
      .set({ stored: stored + fresh })
      .where('wallet', '=', wallet)
      .execute()
  }

  /** Paid for but not stored yet. */
  async function paidAhead(wallet: Address): Promise<number> {
    const sync = await find([wallet])
    const stored = sync.get(wallet)?.stored ?? 0
    return Math.ceil(stored / PAGE) * PAGE - stored
  }

  /** Returns false if the sync has ended. */
  async function begin(wallet: Address): Promise<boolean> {
    const row = await db
      .updateTable('history_sync')
      .set({ chain_ends: sql`'{}'` })
      .where((eb) => eb.and({ wallet, state: 'running' }))
      .returning('wallet')
      .executeTakeFirst()
    return row !== undefined
  }

  async function endChain({ wallet, chain }: WalletOnChain, { state, reason }: SyncEnd): Promise<void> {
    const end = JSON.stringify({ [chain]: { state, reason } })
    await sql`update history_sync set chain_ends = chain_ends || ${end}::jsonb
      where wallet = ${wallet} and state = 'running'`.execute(db)
  }

  const end = (wallet: Address, ended: SyncEnd & { now: number }) =>
    db.transaction().execute((trx) => endSync(trx, wallet, ended))

  const find = (wallets: readonly Address[]) => findSyncs(db, wallets)

  return { request, wouldBe, charge, paidAhead, begin, endChain, end, find }
}

async function endSync(
  trx: Transaction<Tables>,
  wallet: Address,
  { state, reason, now }: SyncEnd & { now: number },
): Promise<void> {
  const at = new Date(now)
  const ended = await trx
    .updateTable('history_sync')
    .set({ state, reason, ended_at: at, ...(state === 'done' && { completed_at: at }) })
    .where((eb) => eb.and({ wallet, state: 'running' }))
    .returning(['stored', 'chain_ends'])
    .execute()
  const troubles = state === 'done' ? await findTroubles(trx, [wallet]) : []
  const events = ended.map(({ stored, chain_ends }) => {
    const hasGaps = troubles.some(({ chain }) => chain in chain_ends)
    const told = hasGaps ? ('done-with-gaps' as const) : state
    return { data: { address: wallet, state: told, reason, newTransactions: stored } }
  })
  await tellFollowers(trx, 'sync.ended', wallet, events)
}

async function findSyncs(db: Kysely<Tables>, wallets: readonly Address[]): Promise<Map<Address, Sync>> {
  const rows = await db
    .selectFrom('history_sync')
    .select(['wallet', 'state', 'stored', 'requested_at', 'completed_at', 'reason'])
    .where('wallet', 'in', wallets)
    .execute()
  return new Map(
    rows.map(({ wallet, state, stored, requested_at, completed_at, reason }) => [
      wallet,
      {
        wallet,
        state,
        stored,
        reason,
        requestedAt: requested_at.getTime(),
        completedAt: completed_at?.getTime() ?? null,
      },
    ]),
  )
}

export type SyncRestarts = ReturnType<typeof createSyncRestarts>

export function createSyncRestarts(db: Kysely<Tables>) {
  /** Oldest request first. */
  async function listRunning(): Promise<Address[]> {
    const running = db.selectFrom('history_sync').select('wallet').where('state', '=', 'running')
    return (await running.orderBy('requested_at').execute()).map(({ wallet }) => wallet)
  }

  /** Returns undefined if the sync has ended. */
  async function noteRestart(trx: Transaction<Tables>, wallet: Address): Promise<number | undefined> {
    const row = await trx
      .updateTable('history_sync')
      .set(({ eb }) => ({ restarts: eb('restarts', '+', 1) }))
      .where((eb) => eb.and({ wallet, state: 'running' }))
      .returning('restarts')
      .executeTakeFirst()
    return row?.restarts
  }

  return { listRunning, noteRestart }
}
