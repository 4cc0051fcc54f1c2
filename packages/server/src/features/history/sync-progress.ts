import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'

/** A sync with how far it is on each chain; times in ISO 8601. */
export type SyncProgress = {
  wallet: Address
  account: string
  state: string
  reason: string | null
  newTransactions: number
  requestedAt: string
  completedAt: string | null
  chains: { chain: string; searchedBlocks: string; wholeUpTo: string | null; transactions: string }[]
  /** Chains on which following the wallet fails, with why and when it is tried again. */
  setAside: { chain: string; step: string; reason: string; failures: number; since: string; retryAt: string }[]
}

/** Every sync, the latest first; of one wallet if it is named. */
export async function listSyncs(db: Kysely<Tables>, wallet?: Address): Promise<SyncProgress[]> {
  const syncs = await db
    .selectFrom('history_sync')
    .selectAll()
    .$if(wallet !== undefined, (query) => query.where('wallet', '=', wallet as Address))
    .orderBy('requested_at', 'desc')
    .execute()
  const wallets = syncs.map((sync) => sync.wallet)
  const { rows } = await sql<SyncProgress['chains'][number] & { wallet: Address }>`
    select coverage.wallet, coverage.chain, sum(to_block - from_block + 1) as "searchedBlocks",
      (select block::text from history_state as state
        where state.wallet = coverage.wallet and state.chain = coverage.chain) as "wholeUpTo",
      (select count(*)::text from history_transaction as tx
        where tx.wallet = coverage.wallet and tx.chain = coverage.chain) as transactions
    from history_coverage as coverage
    where wallet = any (${wallets})
    group by coverage.wallet, coverage.chain
    order by coverage.chain`.execute(db)
  const failing = await db
    .selectFrom('history_set_aside')
    .selectAll()
    .where('wallet', 'in', [...wallets, ''])
    .execute()
  const setAside = Map.groupBy(failing, (row) => row.wallet)
  const chains = Map.groupBy(rows, (row) => row.wallet)
  return syncs.map((sync) => ({
    wallet: sync.wallet,
    account: String(sync.account_id),
    state: sync.state,
    reason: sync.reason,
    newTransactions: sync.stored,
    requestedAt: sync.requested_at.toISOString(),
    completedAt: sync.completed_at?.toISOString() ?? null,
    chains: (chains.get(sync.wallet) ?? []).map(({ wallet: _, ...chain }) => chain),
    setAside: (setAside.get(sync.wallet) ?? []).map(({ wallet: _, since, retry_at, ...aside }) => ({
      ...aside,
      since: since.toISOString(),
      retryAt: retry_at.toISOString(),
    })),
  }))
}
