import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { SyncRestarts, SyncStore } from './sync-store.ts'

/** Each restart allows several runs. */
const MOST_RESTARTS = 3

const CUT_OFF = { state: 'failed', reason: 'all runs were cut off before their end' } as const

/**
 * Every run was killed, timed out or dropped by the queue. Repeated losses fail the sync, so that it can be requested
 * again.
 */
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
