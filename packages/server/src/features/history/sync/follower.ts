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
import { claimDue, renewClaim } from '../store/followed-wallets.ts'
import { narrowFailures } from './narrow-failures.ts'

const PRICED_AT_ONCE = 4
/** Then the next round's job continues. */
const ROUND_MS = 60_000
/** A third of the lease. */
const RENEWAL_MS = 15_000

/** Pauses of wallets that are set aside double with each failure. */
const FIRST_PAUSE_SECONDS = 60
const LONGEST_PAUSE_SECONDS = 3_600
/** Keeps the power of two in range. */
const MOST_DOUBLINGS = 10
const LONGEST_REASON = 500

export type FollowRound = { chain: string }

/** `price` includes comparing balances. */
type FollowStep = 'search' | 'price'

/** One search serves many wallets, free of charge. A failing wallet is set aside with growing pauses. */
export async function followWallets(context: SyncContext, signal: AbortSignal, { chain }: FollowRound): Promise<void> {
  const { db, clock } = context
  for (const end = clock.now() + ROUND_MS; clock.now() < end; ) {
    signal.throwIfAborted()
    const wallets = await claimDue(db, chain)
    if (wallets.length === 0) return
    await renewing(context, chain, wallets, async () => {
      await searchNew(context, signal, chain, wallets)
      await completeNew(context, signal, chain, wallets)
    })
  }
}

async function renewing(
  { db, log }: SyncContext,
  chain: string,
  wallets: readonly Address[],
  work: () => Promise<void>,
) {
  const timer = setInterval(() => {
    renewClaim(db, chain, wallets).catch((err: unknown) =>
      log.warn({ err, chain }, 'a claim of followed wallets could not be renewed; another worker may search them too'),
    )
  }, RENEWAL_MS).unref()
  try {
    await work()
  } finally {
    clearInterval(timer)
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

async function listUnpriced(db: Db, chain: string, wallets: readonly Address[]): Promise<Address[]> {
  const { rows } = await sql<{ wallet: Address }>`
    select wallet from (
      select wallet from history_movement
      where chain = ${chain} and wallet = any (${wallets}) and priced_at is null
      union
      select wallet from history_adjustment
      where chain = ${chain} and wallet = any (${wallets}) and priced_at is null) as unpriced
    where not exists (select from history_set_aside as aside
      where aside.wallet = any (${wallets}) and aside.chain = ${chain} and aside.wallet = unpriced.wallet and step = 'price'
        and retry_at > now())
    order by wallet`.execute(db)
  return rows.map(({ wallet }) => wallet)
}

export async function setAside(db: Db, { chain, wallet }: WalletOnChain, step: FollowStep, reason: string) {
  return db.transaction().execute(async (trx) => {
    const { rows: before } = await sql<{ failures: number }>`
      select failures from history_set_aside
      where chain = ${chain} and wallet = ${wallet} and step = ${step}`.execute(trx)
    const doublings = Math.min(before[0]?.failures ?? 0, MOST_DOUBLINGS)
    const pause = Math.min(FIRST_PAUSE_SECONDS * 2 ** doublings, LONGEST_PAUSE_SECONDS)
    const { rows } = await sql<{ failures: number; retry_at: Date }>`
      insert into history_set_aside as aside (chain, wallet, step, reason, since, retry_at)
      values (${chain}, ${wallet}, ${step}, ${reason.slice(0, LONGEST_REASON)}, now(),
        date_trunc('milliseconds', now() + ${pause} * interval '1 second'))
      on conflict (chain, wallet, step) do update set
        failures = aside.failures + 1, reason = excluded.reason, retry_at = excluded.retry_at
      returning failures, retry_at`.execute(trx)
    const [noted] = rows
    if (noted && step === 'search') {
      await sql`
        update history_follow set due_at = ${noted.retry_at} where chain = ${chain} and wallet = ${wallet}`.execute(trx)
    }
    return noted
  })
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
    where chain = ${chain} and step = ${step} and wallet = any (${followed}) and retry_at <= now()`.execute(db)
}
