import { Failure, type ResponseOf, type SyncProgress } from '@coffer/contract'
import type { operatorEndpoints } from '@coffer/contract/portal'
import { type Selectable, sql } from 'kysely'
import type { HistoryGap } from '../../../chains/histories.ts'
import type { Db, Tables } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import type { FoundSync } from '../../portfolio/portfolios.ts'
import type { SyncContext } from '../context.ts'

/** Decimal strings; `totalBlocks` null: unknown. */
type Extent = { searchedBlocks: string; totalBlocks: string | null }

type Searched = WalletOnChain & Extent

const UNSEARCHED: Extent = { searchedBlocks: '0', totalBlocks: null }

async function findSearched(db: Db, wallets: readonly Address[]): Promise<Searched[]> {
  const { rows } = await sql<Searched>`
    select coverage.wallet, coverage.chain, sum(upper(range) - lower(range))::text as "searchedBlocks",
      greatest(max(upper(range)), max(read.block::bigint) + 1)::text as "totalBlocks"
    from wallet_coverage as coverage cross join unnest(coverage.blocks) as range
    left join wallet_read as read
      on read.wallet = any (${wallets}) and read.wallet = coverage.wallet and read.chain = coverage.chain
    where coverage.wallet = any (${wallets}) and coverage.purpose = 'history'
    group by coverage.wallet, coverage.chain
    order by coverage.chain`.execute(db)
  return rows
}

type HistorySync = Selectable<Tables['history_sync']>

/** `block`: the first affected. */
type Trouble = WalletOnChain & { kind: HistoryGap['reason'] | 'native' | 'set-aside'; block: string | null }

/** Nodes refuse without a reason. */
function gapOf({ kind, block }: Trouble): Gap {
  if (kind === 'set-aside')
    return { reason: 'its new blocks cannot be searched at the moment; the service tries again' }
  if (kind === 'replaced-chain') {
    const reason = `its only endpoint serves a chain without its stored blocks from ${block} on`
    return { reason, closedBy: 'that confirms which chain is right' }
  }
  if (kind === 'native') {
    const reason = `from block ${block} on, its nodes do not show every movement of its own coin`
    return { reason, closedBy: 'with traces or past states' }
  }
  const closedBy = 'with the logs of all blocks'
  if (kind === 'pruned') return { reason: 'its nodes have pruned the history of some blocks', closedBy }
  return { reason: 'its nodes do not serve logs of some blocks', closedBy }
}

/** The last entry counts: current failures override past ones. */
const ORDER: readonly Trouble['kind'][] = ['native', 'pruned', 'not-offered', 'set-aside', 'replaced-chain']

export async function findTroubles(db: Db, wallets: readonly Address[]): Promise<Trouble[]> {
  const coverageOf = (purpose: 'history' | 'native') => sql`
    select wallet, chain, blocks from wallet_coverage where wallet = any (${wallets}) and purpose = ${purpose}`
  const { rows } = await sql<Trouble>`
    select wallet, chain, 'native' as kind, lower(history.blocks - coalesce(native.blocks, '{}'))::text as block
    from (${coverageOf('history')}) as history left join (${coverageOf('native')}) as native using (wallet, chain)
    where not isempty(history.blocks - coalesce(native.blocks, '{}'))
    union all
    select wallet, chain, reason, from_block::text from history_gap where wallet = any (${wallets})
    union all
    select wallet, chain, 'set-aside', null from history_set_aside where wallet = any (${wallets})`.execute(db)
  return rows.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
}

const placeOf = ({ wallet, chain }: WalletOnChain) => `${wallet} ${chain}`

export async function findProgress(
  context: SyncContext,
  wallets: readonly Address[],
): Promise<(wallet: Address) => FoundSync> {
  const { db } = context
  const rows = await db.selectFrom('history_sync').selectAll().where('wallet', 'in', wallets).execute()
  const syncs = new Map(rows.map((sync) => [sync.wallet, sync]))
  const synced = [...syncs.keys()]
  const [searched, troubles] = await Promise.all([findSearched(db, synced), findTroubles(db, synced)])
  const searchedOn = new Map(searched.map((row) => [placeOf(row), row]))
  const gaps = new Map(troubles.map((row) => [placeOf(row), gapOf(row)]))
  return (wallet) => {
    const sync = syncs.get(wallet)
    if (!sync) return { completedAt: null, progress: neverSynced(context.hasHistory(wallet)) }
    const seconds = (context.clock.now() - sync.requested_at.getTime()) / 1_000
    const chains = context.chainsOf(wallet).map((chain) => {
      const place = placeOf({ wallet, chain })
      return chainProgress(sync, chain, searchedOn.get(place), gaps.get(place), seconds)
    })
    return { completedAt: sync.completed_at?.getTime() ?? null, progress: presentSync(sync, chains) }
  }
}

function neverSynced(hasHistory: boolean): SyncProgress {
  const never = { state: 'never' as const, requestedAt: null, newTransactions: 0, chains: [] }
  return hasHistory
    ? { ...never, reason: null, ...adviseOn(never.state, []) }
    : { ...never, reason: NO_HISTORY, action: 'none', advice: null }
}

function presentSync(sync: HistorySync, chains: readonly ReportedChain[]): SyncProgress {
  const hasGaps = sync.state === 'done' && chains.some(({ state }) => state === 'done-with-gaps')
  const state = hasGaps ? 'done-with-gaps' : sync.state
  return {
    state,
    reason: sync.reason,
    ...adviseOn(state, chains),
    requestedAt: sync.requested_at.toISOString(),
    newTransactions: sync.stored,
    chains: chains.map(({ gap: _, ...chain }) => chain),
  }
}

/** `seconds`: since the sync was requested. */
function chainProgress(
  sync: HistorySync,
  chain: string,
  { searchedBlocks, totalBlocks }: Extent = UNSEARCHED,
  gap: Gap | undefined,
  seconds: number,
): ReportedChain {
  const isUnsearched = sync.state === 'done' && searchedBlocks === '0'
  // Unknown for cut-off syncs and those without recorded ends.
  const end = sync.chain_ends[chain] ?? { state: isUnsearched ? ('never' as const) : sync.state, reason: null }
  const fresh = BigInt(searchedBlocks) - BigInt(sync.searched_before[chain] ?? 0)
  const blocksPerSecond = String(Math.max(0, Math.floor(Number(fresh) / Math.max(1, seconds))))
  return {
    chain,
    state: end.state === 'done' && gap ? 'done-with-gaps' : end.state,
    reason: end.reason ?? gap?.reason ?? null,
    searchedBlocks,
    totalBlocks,
    gap,
    ...(sync.state === 'running' && { blocksPerSecond }),
  }
}

type SyncStatus = Awaited<ReturnType<typeof presentSyncs>>[number]

const SYNCS_AT_ONCE = 200

/** By wallet; of one or all. Times in ISO 8601. */
export async function* listSyncs(db: Db, wallet?: Address): AsyncGenerator<SyncStatus> {
  for (let after: Address | '' | undefined = ''; after !== undefined; ) {
    const page = db.selectFrom('history_sync').selectAll().orderBy('wallet').limit(SYNCS_AT_ONCE)
    const rows: HistorySync[] = await page
      .where((eb) => (wallet ? eb('wallet', '=', wallet) : eb(sql<string>`wallet`, '>', after as string)))
      .execute()
    yield* await presentSyncs(db, rows)
    after = wallet || rows.length < SYNCS_AT_ONCE ? undefined : rows.at(-1)?.wallet
  }
}

async function presentSyncs(db: Db, syncs: readonly HistorySync[]) {
  const wallets = syncs.map((sync) => sync.wallet)
  const { rows } = await sql<WalletOnChain & { wholeUpTo: string | null; transactions: string }>`
    select searched.wallet, searched.chain,
      (select block::text from history_state as state
        where state.wallet = any (${wallets}) and state.wallet = searched.wallet and state.chain = searched.chain)
        as "wholeUpTo",
      (select count(*)::text from history_transaction as tx
        where tx.wallet = any (${wallets}) and tx.wallet = searched.wallet and tx.chain = searched.chain) as transactions
    from wallet_coverage as searched where wallet = any (${wallets}) and purpose = 'history'`.execute(db)
  const stored = new Map(rows.map(({ wallet: owner, chain, ...row }) => [`${owner} ${chain}`, row]))
  const searched = Map.groupBy(await findSearched(db, wallets), (row) => row.wallet)
  const setAside = await findSetAside(db, wallets)
  return syncs.map((sync) => ({
    wallet: sync.wallet,
    account: String(sync.account_id),
    state: sync.state,
    reason: sync.reason,
    newTransactions: sync.stored,
    requestedAt: sync.requested_at.toISOString(),
    completedAt: sync.completed_at?.toISOString() ?? null,
    chains: (searched.get(sync.wallet) ?? []).map(({ wallet: owner, ...ofIt }) => ({
      ...ofIt,
      ...(stored.get(`${owner} ${ofIt.chain}`) ?? { wholeUpTo: null, transactions: '0' }),
    })),
    setAside: setAside(sync.wallet),
  }))
}

/** Failed, paused or set aside, by wallet. */
export async function listFailingSyncs(
  db: Db,
  { after = '', limit }: { after?: string | undefined; limit: number },
): Promise<ResponseOf<typeof operatorEndpoints.listFailingSyncs>> {
  type Row = Pick<HistorySync, 'wallet' | 'state' | 'reason' | 'account_id' | 'requested_at'>
  const { rows } = await sql<Row>`
    select wallet, account_id, state, reason, requested_at from (
      select wallet from (
        (select wallet from history_sync where state in ('failed', 'paused') and wallet > ${after}
          order by wallet limit ${limit + 1})
        union
        (select distinct wallet from history_set_aside
          where wallet > ${after} and exists (select from history_sync where history_sync.wallet = history_set_aside.wallet)
          order by wallet limit ${limit + 1})
      ) as failing order by wallet limit ${limit + 1}
    ) as page join history_sync using (wallet) order by wallet`.execute(db)
  const shown = rows.slice(0, limit)
  const setAside = await findSetAside(
    db,
    shown.map(({ wallet }) => wallet),
  )
  const syncs = shown.map(({ account_id, requested_at, ...sync }) => ({
    ...sync,
    account: String(account_id),
    requestedAt: requested_at.toISOString(),
    setAside: setAside(sync.wallet),
  }))
  return { syncs, next: rows.length > limit ? (syncs.at(-1)?.wallet ?? null) : null }
}

async function findSetAside(db: Db, wallets: readonly Address[]) {
  const { rows } = await sql<Selectable<Tables['history_set_aside']>>`
    select * from history_set_aside where wallet = any (${wallets}) order by wallet, chain, step`.execute(db)
  const byWallet = Map.groupBy(rows, (row) => row.wallet)
  return (wallet: Address) =>
    (byWallet.get(wallet) ?? []).map(({ wallet: _, since, retry_at, ...aside }) => ({
      ...aside,
      since: since.toISOString(),
      retryAt: retry_at.toISOString(),
    }))
}

type ReportedChain = SyncProgress['chains'][number] & { gap: Gap | undefined }
/** `closedBy`: an endpoint with the missing part. */
type Gap = { reason: string; closedBy?: string }

type Advice = { action: SyncProgress['action']; advice: string | null }

const CALL = 'POST /v1/sync-transactions'

function adviseOn(state: SyncProgress['state'], chains: readonly ReportedChain[]): Advice {
  if (state === 'never') {
    return { action: 'sync', advice: `No sync was requested yet, so no transaction is listed: call ${CALL}.` }
  }
  if (state === 'running') {
    return { action: 'wait', advice: 'The sync is running. Transactions found so far are listed; ask again later.' }
  }
  if (state === 'paused') {
    const advice = `The credits ran out. Paid progress is kept: add credits and call ${CALL} to continue.`
    return { action: 'add-credits', advice }
  }
  if (state === 'failed') {
    const which = namesOf(chains, 'failed') || 'a chain'
    const advice = `The sync of ${which} ended early. Transactions found so far are kept: call ${CALL} to continue. If it fails again, the operator has to check the nodes.`
    return { action: 'sync', advice }
  }
  const unsearched = namesOf(chains, 'never')
  if (unsearched !== '') return { action: 'sync', advice: `${unsearched} is not synced yet: call ${CALL}.` }
  if (state === 'done') return { action: 'none', advice: null }
  const closing = chains.flatMap(({ chain, gap }) => (gap?.closedBy ? [`for ${chain} ${gap.closedBy}`] : []))
  if (closing.length === 0) return { action: 'none', advice: null }
  return {
    action: 'add-endpoint',
    advice: `The operator has to add an endpoint: ${closing.join('; ')}. Then call ${CALL}.`,
  }
}

const namesOf = (chains: readonly ReportedChain[], state: ReportedChain['state']) =>
  chains.flatMap((one) => (one.state === state ? [one.chain] : [])).join(', ')

const NO_HISTORY = 'transactions of wallets of this type cannot be read'

export function refuseWithoutHistory({ hasHistory }: SyncContext, wallets: readonly Address[]): void {
  const wallet = wallets.find((each) => !hasHistory(each))
  if (wallet !== undefined) throw new Failure('VALIDATION_ERROR', `addresses: ${NO_HISTORY}: ${wallet}`)
}
