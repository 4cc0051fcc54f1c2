import { Failure } from '@coffer/contract'
import type { SaveFound, SearchedBlocks } from '../../../chains/histories.ts'
import type { Trx } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import type { WalletTransaction } from '../../../domain/transaction.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { createGate } from '../../../lib/concurrency.ts'
import { pagesOf } from '../../../lib/pages.ts'
import { unlessAborted } from '../../../lib/time-limit.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { SyncContext } from '../context.ts'
import type { Pay } from '../store/history-store.ts'
import { beginSync, chargeSync, endChain, endSync, insertRequest, PAGE, paidAhead, type SyncEnd } from './sync-store.ts'

export const SYNC_JOB = 'sync-wallet'

const CHAINS_AT_ONCE = 4

/** Beyond it, blocks added meanwhile are searched too. */
const LONG_MS = 60_000

/** Everything paid for is stored. */
class OutOfCredits extends Error {
  override readonly name = 'OutOfCredits'
}

/** Call `wakeSyncs` after the commit. */
export async function requestSync(context: SyncContext, trx: Trx, accountId: string, wallet: Address) {
  const requested = await insertRequest(trx, { accountId, wallet, now: context.clock.now() })
  if (requested === 'begun') await enqueueSync(context, trx, wallet)
  return requested
}

export async function enqueueSync({ jobs }: SyncContext, trx: Trx, wallet: Address): Promise<void> {
  await jobs.send(SYNC_JOB, { wallet }, { singletonKey: wallet, trx })
}

export const wakeSyncs = ({ jobs }: SyncContext) => jobs.wake(SYNC_JOB)

/**
 * May rerun at any point: nothing is stored or charged twice. Rejects on a bug, so that the job is retried; with
 * `isLast` the sync also fails. After an abort it stays `running` until another run ends it.
 */
export async function runSync(context: SyncContext, signal: AbortSignal, wallet: Address, isLast: boolean) {
  const { db, clock, log } = context
  if (!(await beginSync(db, wallet))) return
  const gate = createGate(CHAINS_AT_ONCE)
  const ended = await Promise.allSettled(
    context.chainsOf(wallet).map((chain) => gate(() => searchToEnd(context, signal, { wallet, chain }))),
  )
  signal.throwIfAborted()
  const failed = ended.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
  const bug = failed.find(isBug)
  if (bug === undefined || isLast) await endSync(db, wallet, outcomeOf(failed), clock.now())
  if (bug !== undefined) throw bug
  for (const err of failed) log.warn({ err }, 'a sync ended before the end of a chain; it can be requested again')
}

async function searchToEnd(context: SyncContext, signal: AbortSignal, of: WalletOnChain): Promise<void> {
  const failed = await syncChain(context, signal, of).then(
    () => [],
    (thrown: unknown) => [thrown],
  )
  signal.throwIfAborted()
  await endChain(context.db, of, outcomeOf(failed))
  for (const thrown of failed) throw thrown
}

/** A node's failure may be transient. */
async function syncChain(context: SyncContext, signal: AbortSignal, of: WalletOnChain): Promise<void> {
  await searchChain(context, signal, of).catch((thrown: unknown) => {
    if (signal.aborted || !(thrown instanceof UpstreamError)) throw thrown
    return searchChain(context, signal, of)
  })
}

async function searchChain(context: SyncContext, signal: AbortSignal, of: WalletOnChain): Promise<void> {
  const { histories, clock } = context
  signal.throwIfAborted()
  const startedAt = clock.now()
  const save = unlessAborted(signal, savePaid(context))
  await histories.bringUpToDate(of, save)
  // Most nodes keep only recent states, so balances are compared at a recent block.
  if (clock.now() - startedAt > LONG_MS) await histories.bringUpToDate(of, save)
  await context.complete(of, signal)
}

const savePaid =
  (context: SyncContext): SaveFound =>
  async (of, found, searched) => {
    const pay: Pay = (trx, fresh) => chargeSync(trx, of.wallet, fresh)
    if (await isPaid(context.store.save(of, found, searched, pay))) return
    await keepPaid(context, of, { found, seen: searched?.seen }, pay)
    throw new OutOfCredits('no credits are left for the next transactions')
  }

/** Stores the pages that credits cover, then the rest of the paid page. */
async function keepPaid(
  { db, store }: SyncContext,
  of: WalletOnChain,
  { found, seen }: { found: readonly WalletTransaction[]; seen: SearchedBlocks['seen'] },
  pay: Pay,
) {
  const unsearched = { ranges: [], native: [], seen }
  for (const page of pagesOf(found, PAGE)) {
    if (await isPaid(store.save(of, page, unsearched, pay))) continue
    const paid = page.slice(0, await paidAhead(db, of.wallet))
    if (paid.length > 0) await store.save(of, paid, unsearched, pay)
    return
  }
}

/** Returns false, with nothing stored, if no credits were left. */
function isPaid(saving: Promise<void>): Promise<boolean> {
  return saving.then(
    () => true,
    (thrown: unknown) => {
      if (thrown instanceof Failure && thrown.code === 'INSUFFICIENT_CREDITS') return false
      throw thrown
    },
  )
}

const isBug = (reason: unknown) => !(reason instanceof UpstreamError || reason instanceof OutOfCredits)

function outcomeOf(failed: readonly unknown[]): SyncEnd {
  const [first] = failed
  if (failed.length === 0) return { state: 'done', reason: null }
  // The log has the error.
  if (failed.some(isBug)) return { state: 'failed', reason: 'an internal error' }
  if (failed.some((reason) => reason instanceof OutOfCredits)) return { state: 'paused', reason: 'out of credits' }
  return { state: 'failed', reason: first instanceof Error ? first.message : String(first) }
}
