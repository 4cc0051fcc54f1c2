import type { Address } from '../../../domain/address.ts'
import type { JobDefinition } from '../../../jobs/queue.ts'
import type { SyncContext } from '../context.ts'
import { countDue, TOGETHER } from '../store/followed-wallets.ts'
import { type FollowRound, followWallets } from './follower.ts'
import { enqueueSync, runSync, SYNC_JOB, wakeSyncs } from './run-sync.ts'
import { endSync, noteRestart } from './sync-store.ts'

/** For runs that were cut off or failed by a bug. */
const SYNC_RETRIES = 5

const FOLLOW_GROUPS_JOB = 'follow-groups'
/** Fewer per chain than per process, so that chains do not wait for each other. */
const JOBS_A_CHAIN = 2

export const historyJobs = (context: SyncContext): JobDefinition[] => [
  {
    name: SYNC_JOB,
    handler: (signal, { wallet }: { wallet: Address }, { attempt }) =>
      runSync(context, signal, wallet, attempt > SYNC_RETRIES),
    // A long history on an endpoint with short ranges takes hours.
    options: { concurrency: 4, retryLimit: SYNC_RETRIES, limitSeconds: 6 * 3_600, oncePerKey: 'until begun' },
  },
  {
    name: 'syncs-lost',
    handler: (signal) => restartLost(context, signal),
    options: { retryLimit: 0 },
    everySeconds: 60,
  },
  {
    name: FOLLOW_GROUPS_JOB,
    handler: (signal, round: FollowRound) => followWallets(context, signal, round),
    options: { concurrency: 8, retryLimit: 0, limitSeconds: 600, oncePerKey: 'until begun' },
  },
  {
    name: 'follow-wallets',
    handler: (signal) => beginRound(context, signal),
    options: { retryLimit: 0 },
    everySeconds: 60,
  },
]

async function beginRound({ db, enabled, jobs }: SyncContext, signal: AbortSignal): Promise<void> {
  const chains = enabled.map(({ key }) => key)
  for (const { chain, wallets } of await countDue(db, chains, JOBS_A_CHAIN * TOGETHER)) {
    signal.throwIfAborted()
    for (let slot = 0; slot < Math.ceil(wallets / TOGETHER); slot += 1) {
      await jobs.send(FOLLOW_GROUPS_JOB, { chain } satisfies FollowRound, { singletonKey: `${chain} ${slot}` })
    }
  }
}

/** Each restart allows several runs. */
const MOST_RESTARTS = 3

/** Every run was killed, timed out or dropped by the queue. Repeated losses fail the sync. */
export async function restartLost(context: SyncContext, signal: AbortSignal): Promise<void> {
  const running = context.db.selectFrom('history_sync').select('wallet').where('state', '=', 'running')
  const wallets = (await running.orderBy('requested_at').execute()).map(({ wallet }) => wallet)
  for (const wallet of await context.jobs.findWithoutJob(SYNC_JOB, wallets)) {
    signal.throwIfAborted()
    await restart(context, wallet)
  }
}

async function restart(context: SyncContext, wallet: Address): Promise<void> {
  const { db, clock, log } = context
  const restarts = await db.transaction().execute(async (trx) => {
    const count = await noteRestart(trx, wallet)
    if (count !== undefined && count <= MOST_RESTARTS) await enqueueSync(context, trx, wallet)
    return count
  })
  if (restarts === undefined) return
  if (restarts > MOST_RESTARTS) {
    const end = { state: 'failed', reason: 'all runs were cut off before their end' } as const
    await endSync(db, wallet, end, clock.now())
    log.warn(
      { wallet, restarts },
      'a sync failed: all its runs were cut off before their end; it can be requested again',
    )
    return
  }
  log.warn({ wallet, restarts }, 'the job of a sync was lost; a new job resumes it')
  wakeSyncs(context)
}
