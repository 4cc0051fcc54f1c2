import type { Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { startOfDay } from '../../domain/day.ts'
import type { JobDefinition, JobHandler, Jobs } from '../../jobs/queue.ts'
import type { Logger } from '../../lib/logger.ts'
import { untilAborted } from '../../lib/time-limit.ts'
import type { WholeRead, WholeReads } from './day-states.ts'
import type { DueSnapshots } from './due-snapshots-store.ts'
import type { EarlyReads } from './early-reads-store.ts'
import type { DueSnapshot, SnapshotStore } from './snapshot-store.ts'

const TAKE = 'snapshot'
const LOOK = 'snapshots-due'
const LOOK_SECONDS = 60
/** Wallets of one chain and day share requests. */
export const WALLETS_AT_ONCE = 32
const PASSING = 1
const LIMIT_SECONDS = 600

/** `accountId`: of a subscription's first snapshot. */
type Wanted = { address: Address; date: string; accountId?: string }

export type Nights = ReturnType<typeof createNights>

/**
 * Takes each wallet and day once, complete or not at all, however many processes check. A day that no node can serve
 * becomes a gap.
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
  jobs: Pick<Jobs, 'sendAll' | 'wake'>
  log: Pick<Logger, 'warn'>
}) {
  /** Call `begin` after the transaction. */
  function askFirst(trx: Transaction<Tables>, firsts: readonly Required<Wanted>[]): Promise<void> {
    return enqueue(firsts, trx)
  }

  const begin = () => jobs.wake(TAKE)

  function enqueue(wanted: readonly Wanted[], trx?: Transaction<Tables>): Promise<void> {
    const jobsOf = wanted.map((data) => ({
      data,
      singletonKey: `${data.address} ${data.date} ${data.accountId ?? 'all'}`,
      ...(reads.isPassing(data.address) && { priority: PASSING }),
    }))
    return jobs.sendAll(TAKE, jobsOf, trx)
  }

  async function look(signal: AbortSignal): Promise<void> {
    await earlyReads.forgetOld()
    // They stay missing until their chain type is enabled.
    const due = (await missing.findDue()).filter(({ address }) => reads.isRead(address))
    await enqueueDue(
      signal,
      due.filter(({ address }) => reads.isPassing(address)),
    )
    await enqueueDue(
      signal,
      due.filter(({ address }) => !reads.isPassing(address)),
    )
  }

  /** Days that have begun on no chain of the type wait. */
  async function enqueueDue(signal: AbortSignal, due: readonly DueSnapshot[]): Promise<void> {
    for (const [date, ofDay] of Map.groupBy(due, (snapshot) => snapshot.date)) {
      const firsts = ofDay.filter(({ first }) => first !== null)
      const others = ofDay.filter(({ first }) => first === null)
      const [one] = others
      const ready = one && (await reads.hasBegun(one.address, startOfDay(date))) ? others : []
      signal.throwIfAborted()
      await enqueue([...firsts, ...ready].map(wantedOf))
    }
  }

  async function take(signal: AbortSignal, { address, date, accountId }: Wanted): Promise<void> {
    if (accountId === undefined) await takeDay(signal, address, date)
    else await takeFirst(signal, { address, date, accountId })
  }

  async function takeFirst(signal: AbortSignal, wanted: Required<Wanted>): Promise<void> {
    const found = await missing.findFirst(wanted)
    if (!found) return
    const { due, isToday } = found
    const subscribedAt = Math.ceil(Date.parse(due.first?.subscribedAt ?? '') / 1_000)
    const reading = isToday ? reads.latest(due.address) : reads.at(due.address, subscribedAt)
    const read = await untilAborted(signal, reading)
    await settle(due, read, [BigInt(wanted.accountId)])
  }

  async function takeDay(signal: AbortSignal, address: Address, date: string): Promise<void> {
    const due: DueSnapshot = { address, date, first: null }
    const waiting = await missing.findWaiting(due)
    if (waiting.length === 0 || (await store.shareExisting(due, waiting))) return
    const read = await untilAborted(signal, reads.at(address, startOfDay(date)))
    // The next check finds accounts that subscribe meanwhile.
    await settle(due, read, waiting)
  }

  async function settle(due: DueSnapshot, read: WholeRead, accounts: readonly bigint[]): Promise<void> {
    if ('reads' in read) return store.save(due, read.reads, accounts)
    const { problem } = read
    const { chain, reason } = problem
    if (reason === 'not-final') return
    if (!problem.lasting)
      throw new Error(`no snapshot yet of ${due.date}: ${chain} is ${reason}`, { cause: problem.cause })
    log.warn(
      { chain, reason, date: due.date, err: problem.cause },
      'a day could not be read completely: it has no snapshot and is listed as a gap (coffer-admin snapshot list)',
    )
    await store.saveGap(due, { chain, reason }, accounts)
  }

  return { jobs: definitionsOf(take, look), askFirst, begin, isPassing: reads.isPassing, isRead: reads.isRead }
}

const definitionsOf = (take: JobHandler<Wanted>, look: JobHandler<object>): JobDefinition[] => [
  {
    name: TAKE,
    handler: take,
    options: { concurrency: WALLETS_AT_ONCE, limitSeconds: LIMIT_SECONDS, retryDelaySeconds: 30 },
  },
  { name: LOOK, handler: look, options: { retryLimit: 0 }, everySeconds: LOOK_SECONDS },
]

const wantedOf = ({ address, date, first }: DueSnapshot): Wanted => ({
  address,
  date,
  ...(first && { accountId: first.accountId }),
})
