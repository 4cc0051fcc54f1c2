import type { Trx } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { startOfDay } from '../../domain/day.ts'
import type { JobDefinition, Jobs } from '../../jobs/queue.ts'
import type { WarnLog } from '../../lib/logger.ts'
import { untilAborted } from '../../lib/time-limit.ts'
import {
  hasBegun,
  isPassing,
  isRead,
  readDay,
  readLatest,
  type SnapshotsContext,
  type WholeRead,
} from './day-states.ts'
import { findDue, findFirst, findWaiting } from './due-snapshots-store.ts'
import { type DueSnapshot, forgetEarlyReads, saveGap, saveSnapshot, shareExisting } from './snapshot-store.ts'

const TAKE = 'snapshot'
const LOOK = 'snapshots-due'
const LOOK_SECONDS = 60
/** Wallets of one chain and day share requests. */
export const WALLETS_AT_ONCE = 32
const PASSING = 1
const LIMIT_SECONDS = 600

export type NightsContext = SnapshotsContext & {
  jobs: Pick<Jobs, 'sendAll' | 'wake'>
  log: WarnLog
}

/** `accountId`: of a subscription's first snapshot. */
type Wanted = { address: Address; date: string; accountId?: string }

/** Each wallet and day is taken once, whole or not at all. An unreadable day becomes a gap. */
export function snapshotJobs(context: NightsContext): JobDefinition[] {
  return [
    {
      name: TAKE,
      handler: (signal: AbortSignal, { address, date, accountId }: Wanted) =>
        accountId === undefined
          ? takeDay(context, signal, { address, date, first: null })
          : takeFirst(context, signal, { address, date, accountId }),
      options: { concurrency: WALLETS_AT_ONCE, limitSeconds: LIMIT_SECONDS, retryDelaySeconds: 30 },
    },
    {
      name: LOOK,
      handler: (signal: AbortSignal) => look(context, signal),
      options: { retryLimit: 0 },
      everySeconds: LOOK_SECONDS,
    },
  ]
}

export const beginFirst = ({ jobs }: NightsContext) => jobs.wake(TAKE)

/** Call `beginFirst` after the transaction. */
export function askSnapshots(context: NightsContext, wanted: readonly Wanted[], trx?: Trx): Promise<void> {
  const jobsOf = wanted.map((data) => ({
    data,
    singletonKey: `${data.address} ${data.date} ${data.accountId ?? 'all'}`,
    ...(isPassing(context, data.address) && { priority: PASSING }),
  }))
  return context.jobs.sendAll(TAKE, jobsOf, trx)
}

async function look(context: NightsContext, signal: AbortSignal): Promise<void> {
  await forgetEarlyReads(context.db)
  // They stay missing until their chain type is enabled.
  const due = (await findDue(context.db)).filter(({ address }) => isRead(context, address))
  const byHaste = Map.groupBy(due, ({ address }) => isPassing(context, address))
  await enqueueDue(context, signal, byHaste.get(true) ?? [])
  await enqueueDue(context, signal, byHaste.get(false) ?? [])
}

/** Days that have begun on no chain of the type wait. */
async function enqueueDue(context: NightsContext, signal: AbortSignal, due: readonly DueSnapshot[]): Promise<void> {
  for (const [date, ofDay] of Map.groupBy(due, (snapshot) => snapshot.date)) {
    const firsts = ofDay.filter(({ first }) => first !== null)
    const others = ofDay.filter(({ first }) => first === null)
    const [one] = others
    const ready = one && (await hasBegun(context, one.address, startOfDay(date))) ? others : []
    signal.throwIfAborted()
    await askSnapshots(context, [...firsts, ...ready].map(wantedOf))
  }
}

async function takeFirst(context: NightsContext, signal: AbortSignal, wanted: Required<Wanted>): Promise<void> {
  const found = await findFirst(context.db, wanted)
  if (!found) return
  const { due, isToday } = found
  const subscribedAt = Math.ceil(Date.parse(due.first?.subscribedAt ?? '') / 1_000)
  const reading = isToday ? readLatest(context, due.address) : readDay(context, due.address, subscribedAt)
  await settle(context, due, await untilAborted(signal, reading), [BigInt(wanted.accountId)])
}

async function takeDay(context: NightsContext, signal: AbortSignal, due: DueSnapshot): Promise<void> {
  const waiting = await findWaiting(context.db, due)
  if (waiting.length === 0 || (await shareExisting(context.db, due, waiting))) return
  const read = await untilAborted(signal, readDay(context, due.address, startOfDay(due.date)))
  // The next check finds accounts that subscribe meanwhile.
  await settle(context, due, read, waiting)
}

async function settle({ db, log }: NightsContext, due: DueSnapshot, read: WholeRead, accounts: readonly bigint[]) {
  if ('reads' in read) return saveSnapshot(db, due, read.reads, accounts)
  const { problem } = read
  const { chain, reason } = problem
  if (reason === 'not-final') return
  if (!problem.lasting)
    throw new Error(`no snapshot yet of ${due.date}: ${chain} is ${reason}`, { cause: problem.cause })
  log.warn(
    { chain, reason, date: due.date, err: problem.cause },
    'a day could not be read completely: it has no snapshot and is listed as a gap (coffer-admin snapshot list)',
  )
  await saveGap(db, due, { chain, reason }, accounts)
}

const wantedOf = ({ address, date, first }: DueSnapshot): Wanted => ({
  address,
  date,
  ...(first && { accountId: first.accountId }),
})
