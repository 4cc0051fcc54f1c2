import { sql } from 'kysely'
import type { SaveFound } from '../../../chains/histories.ts'
import type { Db } from '../../../db/tables.ts'
import { isDatabaseUnavailable } from '../../../db/unavailable.ts'
import type { Address } from '../../../domain/address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { createGate } from '../../../lib/concurrency.ts'
import { unlessAborted } from '../../../lib/time-limit.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { SyncContext } from '../context.ts'
import { narrowFailures } from './narrow-failures.ts'

/** Nodes accept some thousand topics in a filter. */
export const TOGETHER = 500
const PRICED_AT_ONCE = 4
/** After the last request for the history. */
const ASKED_DAYS = 30

/** Pauses of wallets that are set aside double with each failure. */
const FIRST_PAUSE_SECONDS = 60
const LONGEST_PAUSE_SECONDS = 3_600
/** Keeps the power of two in range. */
const MOST_DOUBLINGS = 10
const LONGEST_REASON = 500

/** Ends once all wallets were followed since `before`. */
export type FollowRound = { chain: string; before: string }

/** `price` includes comparing balances. */
type FollowStep = 'search' | 'price'

/** One search serves many wallets, free of charge. A failing wallet is set aside with growing pauses. */
export async function followWallets(context: SyncContext, signal: AbortSignal, round: FollowRound): Promise<void> {
  const { chain } = round
  for (;;) {
    signal.throwIfAborted()
    const wallets = await takeFollowed(context.db, round)
    if (wallets.length === 0) return
    await searchNew(context, signal, chain, wallets)
    await completeNew(context, signal, chain, wallets)
  }
}

async function searchNew(context: SyncContext, signal: AbortSignal, chain: string, wallets: readonly Address[]) {
  const { db, store, histories, log } = context
  const free: SaveFound = (of, found, searched) => store.save(of, found, searched, async () => undefined)
  const saves = { save: unlessAborted(signal, free), saveIdle: unlessAborted(signal, store.group.saveIdle) }
  const search = async (part: readonly Address[]) => {
    const failed = new Map<Address, unknown>()
    await histories.follow(chain, part, saves, (wallet, error) => {
      throwUnlessOfWallet(signal, error)
      failed.set(wallet, error)
    })
    return failed
  }
  const { failed, shared } = await narrowFailures(wallets, search, (error) => throwUnlessOfWallet(signal, error))
  for (const [wallet, error] of failed) await noteFailure(context, { chain, wallet }, 'search', error)
  if (shared === undefined) return endPauses(db, chain, wallets, failed, 'search')
  log.warn(
    { err: shared, chain, wallets: wallets.length },
    'the new blocks of a chain could not be searched for its followed wallets; the next round tries again',
  )
}

async function completeNew(context: SyncContext, signal: AbortSignal, chain: string, wallets: readonly Address[]) {
  const gate = createGate(PRICED_AT_ONCE)
  const failed = new Set<Address>()
  const one = async (wallet: Address) => {
    try {
      await context.complete({ chain, wallet }, signal)
    } catch (error) {
      throwUnlessOfWallet(signal, error)
      failed.add(wallet)
      await noteFailure(context, { chain, wallet }, 'price', error)
    }
  }
  const open = await listUnpriced(context.db, chain, wallets)
  const ended = await Promise.allSettled(open.map((wallet) => gate(() => one(wallet))))
  for (const outcome of ended) if (outcome.status === 'rejected') throw outcome.reason
  await endPauses(context.db, chain, wallets, failed, 'price')
}

function throwUnlessOfWallet(signal: AbortSignal, error: unknown): void {
  if (signal.aborted || isDatabaseUnavailable(error)) throw error
}

async function noteFailure({ db, log }: SyncContext, of: WalletOnChain, step: FollowStep, err: unknown): Promise<void> {
  const noted = await setAside(db, of, step, err instanceof Error ? err.message : String(err))
  const facts = { err, ...of, step, failures: noted?.failures, retryAt: noted?.retry_at }
  if (err instanceof UpstreamError) log.warn(facts, 'a wallet could not be followed and is set aside until retryAt')
  else log.error(facts, 'a wallet could not be followed because of a bug and is set aside until retryAt')
}

export const isFollowed = sql<boolean>`(
  exists (select from history_sync
    where history_sync.wallet = history_state.wallet
      and requested_at > coffer_now() - make_interval(days => ${ASKED_DAYS}))
  or exists (select from address_book_entry
    where address = history_state.wallet and plan <> 'FREE' and expires_at > coffer_now())
  or exists (select from snapshot_subscription
    where address = history_state.wallet and expires_at > coffer_now()))`

/** Claims wallets, longest ago first. Each goes to one caller per round. */
async function takeFollowed(db: Db, round: FollowRound): Promise<Address[]> {
  const { chain } = round
  const before = new Date(round.before)
  const { rows } = await sql<{ wallet: Address }>`
    insert into history_follow as follow (chain, wallet, followed_at)
    select ${chain}, history_state.wallet, clock_timestamp()
    from history_state left join history_follow as last using (chain, wallet)
    where chain = ${chain} and (last.followed_at is null or last.followed_at < ${before}) and ${isFollowed}
      and not exists (select from history_set_aside as aside
        where aside.chain = ${chain} and aside.wallet = history_state.wallet and step = 'search'
          and retry_at > clock_timestamp())
    order by last.followed_at nulls first, history_state.wallet
    limit ${TOGETHER}
    on conflict (chain, wallet) do update set followed_at = excluded.followed_at
      where follow.followed_at < ${before}
    returning wallet`.execute(db)
  return rows.map(({ wallet }) => wallet)
}

async function listUnpriced(db: Db, chain: string, wallets: readonly Address[]): Promise<Address[]> {
  const { rows } = await sql<{ wallet: Address }>`
    select wallet from (
      select wallet from history_movement
      where chain = ${chain} and wallet = any (${wallets}) and priced_at is null
      union
      select wallet from history_adjustment
      where chain = ${chain} and wallet = any (${wallets}) and priced_at is null) as unpriced
    where not exists (select from history_set_aside as aside
      where aside.chain = ${chain} and aside.wallet = unpriced.wallet and step = 'price'
        and retry_at > clock_timestamp())
    order by wallet`.execute(db)
  return rows.map(({ wallet }) => wallet)
}

export async function setAside(db: Db, { chain, wallet }: WalletOnChain, step: FollowStep, reason: string) {
  const pause = sql`least(${FIRST_PAUSE_SECONDS} * power(2, least(aside.failures, ${MOST_DOUBLINGS})),
    ${LONGEST_PAUSE_SECONDS}) * interval '1 second'`
  const { rows } = await sql<{ failures: number; retry_at: Date }>`
    insert into history_set_aside as aside (chain, wallet, step, reason, since, retry_at)
    values (${chain}, ${wallet}, ${step}, ${reason.slice(0, LONGEST_REASON)}, clock_timestamp(),
      clock_timestamp() + ${FIRST_PAUSE_SECONDS} * interval '1 second')
    on conflict (chain, wallet, step) do update set
      failures = aside.failures + 1, reason = excluded.reason, retry_at = clock_timestamp() + ${pause}
    returning failures, retry_at`.execute(db)
  return rows[0]
}

/** Wallets within their pause were not tried. */
async function endPauses(
  db: Db,
  chain: string,
  wallets: readonly Address[],
  failed: ReadonlySet<Address> | ReadonlyMap<Address, unknown>,
  step: FollowStep,
): Promise<void> {
  const followed = wallets.filter((wallet) => !failed.has(wallet))
  await sql`
    delete from history_set_aside
    where chain = ${chain} and step = ${step} and wallet = any (${followed}) and retry_at <= clock_timestamp()`.execute(
    db,
  )
}
