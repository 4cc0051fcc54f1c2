import type { Kysely, Transaction } from 'kysely'
import type { Reading } from './compose-reading.ts'
import type { Tables } from './db/tables.ts'
import type { Address } from './domain/address.ts'
import { createFollowedStore } from './features/history/followed-store.ts'
import { createFollower, type FollowRound, TOGETHER } from './features/history/follower.ts'
import type { HistoryStore } from './features/history/history-store.ts'
import { createRestartLost } from './features/history/lost-syncs.ts'
import { createSetAsideStore } from './features/history/set-aside-store.ts'
import { createSyncRestarts, type SyncStore } from './features/history/sync-store.ts'
import { createSyncs, type Syncs } from './features/history/syncs.ts'
import type { Jobs } from './jobs/queue.ts'
import type { WalletHistory } from './kinds/histories.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'

const SYNC_JOB = 'sync-wallet'
/** Wallets that one process syncs at a time. */
const SYNCS_AT_ONCE = 4
/** How often a sync that was cut off, or met an error of ours, is run again. */
const SYNC_RETRIES = 5
/** A wallet with a long past on an endpoint of short ranges takes hours. */
const SYNC_LIMIT_SECONDS = 6 * 3600

/** Looks for syncs whose job was lost. */
const LOST_SYNCS_JOB = 'syncs-lost'
const LOST_SYNCS_SECONDS = 60

const FOLLOW_JOB = 'follow-wallets'
/** How often the new blocks are searched. */
const FOLLOW_SECONDS = 60
const FOLLOW_GROUPS_JOB = 'follow-groups'
/** A run ends after so many seconds; the next round continues with the wallets followed longest ago. */
const FOLLOW_LIMIT_SECONDS = 600
/** Jobs that one process runs at once, and below those of one chain, so that chains do not wait for each other. */
const FOLLOWS_AT_ONCE = 8
const JOBS_A_CHAIN = 2

export type HistoryJobs = Pick<Jobs, 'define' | 'send' | 'every' | 'wake' | 'findWithoutJob'>

type Dependencies = {
  db: Kysely<Tables>
  reading: Pick<Reading, 'chainsOf' | 'enabled'>
  histories: WalletHistory
  store: HistoryStore
  syncStore: SyncStore
  complete: Parameters<typeof createSyncs>[0]['complete']
  jobs: HistoryJobs
  clock: Clock
  log: Logger
}

/** Defines the jobs for histories: syncs, the restart of syncs that lost their job, and following of new blocks. */
export function composeHistoryJobs(dependencies: Dependencies): Syncs {
  defineFollower(dependencies)
  return defineSyncs(dependencies)
}

function defineSyncs({ db, reading, histories, store, syncStore, complete, jobs, clock, log }: Dependencies): Syncs {
  const enqueue = async (trx: Transaction<Tables>, wallet: Address) =>
    void (await jobs.send(SYNC_JOB, { wallet }, { singletonKey: wallet, trx }))
  const wake = () => jobs.wake(SYNC_JOB)
  const syncs = createSyncs({
    ...{ chainsOf: reading.chainsOf, histories, store, syncs: syncStore, complete, enqueue, wake, clock, log },
  })
  jobs.define<{ wallet: Address }>(
    SYNC_JOB,
    (signal, { wallet }, { attempt }) => syncs.run(signal, wallet, attempt > SYNC_RETRIES),
    {
      concurrency: SYNCS_AT_ONCE,
      retryLimit: SYNC_RETRIES,
      limitSeconds: SYNC_LIMIT_SECONDS,
      oncePerKey: 'until begun',
    },
  )
  const restartLost = createRestartLost({
    ...{ db, enqueue, wake, clock, log },
    syncs: { ...syncStore, ...createSyncRestarts(db) },
    findWithoutJob: (wallets) => jobs.findWithoutJob(SYNC_JOB, wallets),
  })
  jobs.define(LOST_SYNCS_JOB, restartLost, { retryLimit: 0 })
  jobs.every(LOST_SYNCS_JOB, LOST_SYNCS_SECONDS)
  return syncs
}

/** Enqueues one job per chain and round, and a second one if the wallets do not fit into one search. */
function defineFollower({ db, reading, histories, store, complete, jobs, log }: Dependencies): void {
  const followed = createFollowedStore(db)
  const enabled = new Set(reading.enabled.map(({ key }) => key))
  const follow = createFollower({ followed, setAside: createSetAsideStore(db), histories, store, complete, log })
  jobs.define<FollowRound>(FOLLOW_GROUPS_JOB, follow, {
    concurrency: FOLLOWS_AT_ONCE,
    limitSeconds: FOLLOW_LIMIT_SECONDS,
    retryLimit: 0,
    oncePerKey: 'until begun',
  })
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
  jobs.define(FOLLOW_JOB, begin, { retryLimit: 0 })
  jobs.every(FOLLOW_JOB, FOLLOW_SECONDS)
}
