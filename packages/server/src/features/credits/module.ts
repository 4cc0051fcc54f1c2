import type { Database } from '../../db/database.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Module } from '../module.ts'
import type { Credits } from './credits.ts'
import { creditsRoutes } from './credits-routes.ts'
import { holdGauges } from './hold-gauges.ts'
import { startSweeping } from './sweeping.ts'

/** Balances of credits, and the holds that have expired. */
export function creditsModule({
  credits,
  database: { pool },
  logger,
}: {
  credits: Credits
  database: Pick<Database, 'pool'>
  logger: Logger
}) {
  let sweeping: ReturnType<typeof startSweeping> | undefined
  return {
    handlers: creditsRoutes({ credits }),
    gauges: holdGauges(pool),
    start() {
      sweeping = startSweeping({ credits, log: (message) => logger.warn(message) })
    },
    async close() {
      await sweeping?.stop()
      await credits.drain()
    },
  } satisfies Module
}
