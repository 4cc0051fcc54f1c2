import type { Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { startOfDay } from '../../domain/day.ts'
import type { Jobs } from '../../jobs/queue.ts'
import type { Logger } from '../../lib/logger.ts'
import type { DueSnapshots } from './due-snapshots-store.ts'
import type { EarlyReads } from './early-reads-store.ts'
import type { DueSnapshot, SnapshotStore } from './snapshot-store.ts'
import type { WholeRead, WholeReads } from './whole-reads.ts'

const TAKE = 'snapshot'
const LOOK = 'snapshots-due'
/** How often it is looked for what is missing, in seconds. */
const LOOK_SECONDS = 60
/** Wallets that a process reads at one time for their snapshots. */
const CONCURRENCY = 2
/** Of jobs that cannot wait, before those that can: 0. */
const PASSING = 1
/** Wallets are read on all chains at once, and a search for tokens may be part of it. */
const LIMIT_SECONDS = 600

/** `accountId`: the first snapshot of this account's subscription. */
type Wanted = { address: Address; date: string; accountId?: string }

export type Nights = ReturnType<typeof createNights>

/**
 * Takes the snapshots that are missing: each wallet and day once, complete or not at all, whatever number of processes
 * look. A day that cannot be read is tried again; one that no node can tell any more is a gap, with its reason.
 */
export function createNights({
  due: missing,
  store,
  earlyReads,
  reads,
  jobs,
  log,
}: {
  due: Pick<DueSnapshots, 'findDue' | 'findFirst' | 'findWaiting'>
  store: Pick<SnapshotStore, 'shareExisting' | 'save' | 'saveGap'>
  earlyReads: Pick<EarlyReads, 'forgetOld'>
  reads: WholeReads
  jobs: Pick<Jobs, 'define' | 'every' | 'send' | 'wake'>
  log: Pick<Logger, 'warn'>
}) {
  jobs.define<Wanted>(TAKE, take, { concurrency: CONCURRENCY, limitSeconds: LIMIT_SECONDS, retryDelaySeconds: 30 })
  jobs.define(LOOK, look, { retryLimit: 0 })
  jobs.every(LOOK, LOOK_SECONDS)

  /** Asks for the first snapshot of a subscription in the transaction that begins it; call `begin` after that. */
  function askFirst(trx: Transaction<Tables>, first: Required<Wanted>): Promise<void> {
    return enqueue(first, trx)
  }

  const begin = () => jobs.wake(TAKE)

  async function enqueue(wanted: Wanted, trx?: Transaction<Tables>): Promise<void> {
    const { address, date, accountId = 'all' } = wanted
    await jobs.send(TAKE, wanted, {
      singletonKey: `${address} ${date} ${accountId}`,
      ...(reads.isPassing(address) && { priority: PASSING }),
      ...(trx && { trx }),
    })
  }

  async function look(): Promise<void> {
    await earlyReads.forgetOld()
    // Days of a kind of chain that is not read here are missing until it is.
    const due = (await missing.findDue()).filter(({ address }) => reads.isRead(address))
    await enqueueDue(due.filter(({ address }) => reads.isPassing(address)))
    await enqueueDue(due.filter(({ address }) => !reads.isPassing(address)))
  }

  /** Those of one kind of chain; days that have begun on none of its chains wait. */
  async function enqueueDue(due: readonly DueSnapshot[]): Promise<void> {
    for (const [date, ofDay] of Map.groupBy(due, (snapshot) => snapshot.date)) {
      const firsts = ofDay.filter(({ first }) => first !== null)
      const others = ofDay.filter(({ first }) => first === null)
      const [one] = others
      const ready = one && (await reads.hasBegun(one.address, startOfDay(date))) ? others : []
      for (const { address, first } of [...firsts, ...ready]) {
        await enqueue({ address, date, ...(first && { accountId: first.accountId }) })
      }
    }
  }

  async function take({ address, date, accountId }: Wanted): Promise<void> {
    if (accountId === undefined) await takeDay(address, date)
    else await takeFirst({ address, date, accountId })
  }

  async function takeFirst(wanted: Required<Wanted>): Promise<void> {
    const found = await missing.findFirst(wanted)
    if (!found) return
    const { due, isToday } = found
    const subscribedAt = Math.ceil(Date.parse(due.first?.subscribedAt ?? '') / 1_000)
    const read = isToday ? await reads.latest(due.address) : await reads.at(due.address, subscribedAt)
    await settle(due, read, [BigInt(wanted.accountId)])
  }

  async function takeDay(address: Address, date: string): Promise<void> {
    const due: DueSnapshot = { address, date, first: null }
    const waiting = await missing.findWaiting(due)
    if (waiting.length === 0 || (await store.shareExisting(due, waiting))) return
    const read = await reads.at(address, startOfDay(date))
    // Who subscribed meanwhile is found waiting the next time.
    await settle(due, read, waiting)
  }

  async function settle(due: DueSnapshot, read: WholeRead, accounts: readonly bigint[]): Promise<void> {
    if ('reads' in read) return store.save(due, read.reads, accounts)
    const { problem } = read
    const { chain, reason } = problem
    if (reason === 'not-final') return
    if (!problem.lasting)
      throw new Error(`no snapshot yet of ${due.date}: ${chain} is ${reason}`, { cause: problem.cause })
    log.warn({ chain, reason, date: due.date, err: problem.cause }, 'a day has no snapshot')
    await store.saveGap(due, { chain, reason }, accounts)
  }

  return { askFirst, begin }
}
