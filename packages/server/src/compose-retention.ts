import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import { createCloseDays } from './features/credits/close-days.ts'
import { createPruneChanges } from './features/history/prune-changes.ts'
import { createForgetUnasked } from './features/retention/forget-unasked.ts'
import type { Jobs } from './jobs/queue.ts'
import type { Logger } from './lib/logger.ts'

const JOB = 'retention'
/** Retention counts days; a run every few hours spreads the work. */
const EVERY_SECONDS = 6 * 3600
const LIMIT_SECONDS = 3_600

/** Defines the job that deletes data not requested any more, so that the database does not grow without bound. */
export function composeRetention({
  config: { retentionDays: days },
  database: { db },
  jobs,
  logger: log,
}: {
  config: Pick<Config, 'retentionDays'>
  database: Pick<Database, 'db'>
  jobs: Pick<Jobs, 'define' | 'every'>
  logger: Logger
}): void {
  const forgetUnasked = days === null ? undefined : createForgetUnasked({ db, days, log })
  const closeDays = days === null ? undefined : createCloseDays({ db, days, log })
  const pruneChanges = createPruneChanges(db)
  const work = async (signal: AbortSignal) => {
    await pruneChanges(signal)
    await forgetUnasked?.(signal)
    await closeDays?.(signal)
  }
  jobs.define(JOB, work, { retryLimit: 0, limitSeconds: LIMIT_SECONDS })
  jobs.every(JOB, EVERY_SECONDS)
}
