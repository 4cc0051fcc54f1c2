import { Failure } from '@coffer/contract'
import type { Transaction } from 'kysely'
import type { SaveFound, WalletHistory } from '../../../chains/histories.ts'
import type { Tables } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import type { WalletTransaction } from '../../../domain/transaction.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createGate } from '../../../lib/concurrency.ts'
import type { Logger } from '../../../lib/logger.ts'
import { pagesOf } from '../../../lib/pages.ts'
import { unlessAborted } from '../../../lib/unless-aborted.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { HistoryStore } from '../store/history-store.ts'
import { PAGE, type Requested, type SyncEnd, type SyncStore } from './sync-store.ts'

const CHAINS_AT_ONCE = 4

/** Beyond it, blocks added meanwhile are searched too. */
const LONG_MS = 60_000

/** The log has the error. */
const INTERNAL = { state: 'failed', reason: 'an internal error' } as const
/** Everything paid for is stored. */
class OutOfCredits extends Error {
  override readonly name = 'OutOfCredits'
}

export type CompleteHistory = (of: WalletOnChain, signal: AbortSignal) => Promise<void>

export type Syncs = ReturnType<typeof createSyncs>

export function createSyncs({
  chainsOf,
  histories,
  store,
  syncs,
  complete,
  enqueue,
  wake,
  clock,
  log,
}: {
  chainsOf(wallet: Address): readonly string[]
  histories: WalletHistory
  store: HistoryStore
  syncs: SyncStore
  complete: CompleteHistory
  /** A worker runs `run` after the commit. */
  enqueue(trx: Transaction<Tables>, wallet: Address): Promise<void>
  /** Call it after the commit. */
  wake(): void
  clock: Clock
  log: Pick<Logger, 'warn'>
}) {
  async function request(trx: Transaction<Tables>, accountId: string, wallet: Address): Promise<Requested> {
    const requested = await syncs.request(trx, { accountId, wallet, now: clock.now() })
    if (requested === 'begun') await enqueue(trx, wallet)
    return requested
  }

  /**
   * May rerun at any point: nothing is stored or charged twice. Rejects for errors other than an unreadable chain, so
   * that the job is retried; with `isLast` the sync also fails. An abort stores nothing more; the sync stays `running`
   * until another run ends it.
   */
  async function run(signal: AbortSignal, wallet: Address, isLast: boolean): Promise<void> {
    if (!(await syncs.begin(wallet))) return
    const gate = createGate(CHAINS_AT_ONCE)
    const ended = await Promise.allSettled(
      chainsOf(wallet).map((chain) => gate(() => searchToEnd(signal, { wallet, chain }))),
    )
    signal.throwIfAborted()
    const failed = ended.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
    const bug = failed.find(isBug)
    if (bug !== undefined && isLast) await syncs.end(wallet, { ...outcomeOf(failed), now: clock.now() })
    if (bug !== undefined) throw bug
    for (const err of failed) log.warn({ err }, 'a sync ended before the end of a chain; it can be requested again')
    await syncs.end(wallet, { ...outcomeOf(failed), now: clock.now() })
  }

  async function searchToEnd(signal: AbortSignal, of: WalletOnChain): Promise<void> {
    const failed = await syncChain(signal, of).then(
      () => [],
      (thrown: unknown) => [thrown],
    )
    signal.throwIfAborted()
    await syncs.endChain(of, outcomeOf(failed))
    for (const thrown of failed) throw thrown
  }

  /** A node's failure may be transient. */
  async function syncChain(signal: AbortSignal, of: WalletOnChain): Promise<void> {
    await searchChain(signal, of).catch((thrown: unknown) => {
      if (signal.aborted || !(thrown instanceof UpstreamError)) throw thrown
      return searchChain(signal, of)
    })
  }

  async function searchChain(signal: AbortSignal, of: WalletOnChain): Promise<void> {
    signal.throwIfAborted()
    const startedAt = clock.now()
    const save = unlessAborted(signal, savePaid)
    await histories.bringUpToDate(of, save)
    // Most nodes keep only recent states, so balances are compared at a recent block.
    if (clock.now() - startedAt > LONG_MS) await histories.bringUpToDate(of, save)
    await complete(of, signal)
  }

  const savePaid: SaveFound = async (of, found, searched) => {
    const pay = (trx: Transaction<Tables>, fresh: number) => syncs.charge(trx, of.wallet, fresh)
    if (await isPaid(store.save(of, found, searched, pay))) return
    await keepPaid(of, found, pay)
    throw new OutOfCredits('no credits are left for the next transactions')
  }

  /** Stores the pages that credits cover, then the rest of the page already paid for. */
  async function keepPaid(
    of: WalletOnChain,
    found: readonly WalletTransaction[],
    pay: Parameters<HistoryStore['save']>[3],
  ): Promise<void> {
    for (const page of pagesOf(found, PAGE)) {
      if (await isPaid(store.save(of, page, undefined, pay))) continue
      const paid = page.slice(0, await syncs.paidAhead(of.wallet))
      if (paid.length > 0) await store.save(of, paid, undefined, pay)
      return
    }
  }

  return { request, run, wake }
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
  if (failed.length === 0) return { state: 'done', reason: null }
  if (failed.some(isBug)) return INTERNAL
  if (failed.some((reason) => reason instanceof OutOfCredits)) return { state: 'paused', reason: 'out of credits' }
  const [first] = failed
  return { state: 'failed', reason: first instanceof Error ? first.message : String(first) }
}
