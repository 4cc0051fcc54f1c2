import type { Kysely, Transaction } from 'kysely'
import type { WalletHistory } from '../../../chains/histories.ts'
import type { Tables } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import type { JobDefinition, JobHandler, Jobs } from '../../../jobs/queue.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { Reading } from '../../../wallets/open-reading.ts'
import type { HistoryStore } from '../store/history-store.ts'
import { createFollowedStore, createSetAsideStore } from './followed-store.ts'
import { createFollower, type FollowRound, TOGETHER } from './follower.ts'
import { type CompleteHistory, createSyncs, type Syncs } from './run-sync.ts'
import { createSyncRestarts, type SyncRestarts, type SyncStore } from './sync-store.ts'

const SYNC_JOB = 'sync-wallet'
/** Per process. */
const SYNCS_AT_ONCE = 4
/** For runs that were cut off or failed by a bug. */
const SYNC_RETRIES = 5
/** A long history on an endpoint with short ranges takes hours. */
const SYNC_LIMIT_SECONDS = 6 * 3600

const LOST_SYNCS_JOB = 'syncs-lost'
const LOST_SYNCS_SECONDS = 60

const FOLLOW_JOB = 'follow-wallets'
const FOLLOW_SECONDS = 60
const FOLLOW_GROUPS_JOB = 'follow-groups'
/** The next round continues with the wallets followed longest ago. */
const FOLLOW_LIMIT_SECONDS = 600
/** Per process; fewer per chain, so that chains do not wait for each other. */
const FOLLOWS_AT_ONCE = 8
const JOBS_A_CHAIN = 2

export type HistoryJobs = Pick<Jobs, 'send' | 'wake' | 'findWithoutJob'>

type Dependencies = {
  db: Kysely<Tables>
  reading: Pick<Reading, 'chainsOf' | 'enabled'>
  histories: WalletHistory
  store: HistoryStore
  syncStore: SyncStore
  complete: CompleteHistory
  jobs: HistoryJobs
  clock: Clock
  log: Logger
}

export function createHistoryJobs(dependencies: Dependencies): { syncs: Syncs; definitions: JobDefinition[] } {
  const { syncs, definitions } = createSyncJobs(dependencies)
  return { syncs, definitions: [...definitions, ...createFollowJobs(dependencies)] }
}

function createSyncJobs({ db, reading, histories, store, syncStore, complete, jobs, clock, log }: Dependencies) {
  const enqueue = async (trx: Transaction<Tables>, wallet: Address) =>
    void (await jobs.send(SYNC_JOB, { wallet }, { singletonKey: wallet, trx }))
  const wake = () => jobs.wake(SYNC_JOB)
  const syncs = createSyncs({
    chainsOf: reading.chainsOf,
    histories,
    store,
    syncs: syncStore,
    complete,
    enqueue,
    wake,
    clock,
    log,
  })
  const sync: JobHandler<{ wallet: Address }> = (signal, { wallet }, { attempt }) =>
    syncs.run(signal, wallet, attempt > SYNC_RETRIES)
  const restartLost = createRestartLost({
    db,
    enqueue,
    wake,
    clock,
    log,
    syncs: { ...syncStore, ...createSyncRestarts(db) },
    findWithoutJob: (wallets) => jobs.findWithoutJob(SYNC_JOB, wallets),
  })
  const definitions: JobDefinition[] = [
    {
      name: SYNC_JOB,
      handler: sync,
      options: {
        concurrency: SYNCS_AT_ONCE,
        retryLimit: SYNC_RETRIES,
        limitSeconds: SYNC_LIMIT_SECONDS,
        oncePerKey: 'until begun',
      },
    },
    { name: LOST_SYNCS_JOB, handler: restartLost, options: { retryLimit: 0 }, everySeconds: LOST_SYNCS_SECONDS },
  ]
  return { syncs, definitions }
}

/** A second job per chain only if the wallets exceed one search. */
function createFollowJobs({ db, reading, histories, store, complete, jobs, log }: Dependencies): JobDefinition[] {
  const followed = createFollowedStore(db)
  const enabled = new Set(reading.enabled.map(({ key }) => key))
  const follow = createFollower({ followed, setAside: createSetAsideStore(db), histories, store, complete, log })
  const begin = async (signal: AbortSignal) => {
    for (const { chain, wallets, now } of await followed.countByChain()) {
      signal.throwIfAborted()
      if (!enabled.has(chain)) continue
      const round: FollowRound = { chain, before: now.toISOString() }
      for (let slot = 0; slot < Math.min(JOBS_A_CHAIN, Math.ceil(wallets / TOGETHER)); slot += 1) {
        await jobs.send(FOLLOW_GROUPS_JOB, round, { singletonKey: `${chain} ${slot}` })
      }
    }
  }
  return [
    {
      name: FOLLOW_GROUPS_JOB,
      handler: follow,
      options: {
        concurrency: FOLLOWS_AT_ONCE,
        limitSeconds: FOLLOW_LIMIT_SECONDS,
        retryLimit: 0,
        oncePerKey: 'until begun',
      },
    },
    { name: FOLLOW_JOB, handler: begin, options: { retryLimit: 0 }, everySeconds: FOLLOW_SECONDS },
  ]
}

/** Each restart allows several runs. */
const MOST_RESTARTS = 3

const CUT_OFF = { state: 'failed', reason: 'all runs were cut off before their end' } as const

/** Every run was killed, timed out or dropped by the queue. Repeated losses fail the sync. */
export function createRestartLost({
  db,
  syncs,
  findWithoutJob,
  enqueue,
  wake,
  clock,
  log,
}: {
  db: Kysely<Tables>
  syncs: SyncRestarts & Pick<SyncStore, 'end'>
  findWithoutJob(wallets: readonly Address[]): Promise<Address[]>
  enqueue(trx: Transaction<Tables>, wallet: Address): Promise<void>
  /** Call it after the commit that enqueues. */
  wake(): void
  clock: Clock
  log: Pick<Logger, 'warn'>
}) {
  return async function restartLost(signal: AbortSignal): Promise<void> {
    for (const wallet of await findWithoutJob(await syncs.listRunning())) {
      signal.throwIfAborted()
      await restart(wallet)
    }
  }

  async function restart(wallet: Address): Promise<void> {
    const restarts = await db.transaction().execute(async (trx) => {
      const count = await syncs.noteRestart(trx, wallet)
      if (count !== undefined && count <= MOST_RESTARTS) await enqueue(trx, wallet)
      return count
    })
    if (restarts === undefined) return
    if (restarts > MOST_RESTARTS) {
      await syncs.end(wallet, { ...CUT_OFF, now: clock.now() })
      log.warn(
        { wallet, restarts },
        'a sync failed: all its runs were cut off before their end; it can be requested again',
      )
      return
    }
    log.warn({ wallet, restarts }, 'the job of a sync was lost; a new job resumes it')
    wake()
  }
}
