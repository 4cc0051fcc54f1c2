import type { Database } from '../../db/database.ts'
import { sqlGauge } from '../../db/gauges.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Module } from '../module.ts'
import type { Credits } from './credits.ts'
import { viewCredits, viewLedger } from './ledger.ts'
import { startSweeping } from './sweeping.ts'

const OF_HOLDS = "from credit_charge where state = 'pending'"

export function creditsModule({
  credits,
  database: { db, reads, pool },
  logger,
}: {
  credits: Credits
  database: Database
  logger: Logger
}) {
  let stopSweeping: (() => Promise<void>) | undefined
  return {
    handlers: { getCredits: ({ caller }) => credits.available(caller.accountId) },
    portal: {
      listLedger: ({ caller, query }) => viewLedger(reads, caller.accountId, query),
      viewCredits: ({ caller }) => viewCredits(db, caller.accountId),
    },
    gauges: [
      sqlGauge(pool, {
        name: 'coffer_credit_holds',
        help: 'Calls with reserved credits',
        figure: `select count(*) ${OF_HOLDS}`,
      }),
      // Above 135 s no process sweeps.
      sqlGauge(pool, {
        name: 'coffer_credit_oldest_hold_seconds',
        help: 'Age of the oldest reservation; 0 without one',
        figure: `select coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0) ${OF_HOLDS}`,
      }),
    ],
    start() {
      stopSweeping = startSweeping(credits.sweep, (message) => logger.warn(message))
    },
    async close() {
      await stopSweeping?.()
      await credits.drain()
    },
  } satisfies Module
}
