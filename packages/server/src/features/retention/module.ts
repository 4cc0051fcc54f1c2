import { createCloseDays } from '../credits/close-days.ts'
import { createPruneChanges } from '../history/store/prune-changes.ts'
import type { Module, Ports } from '../module.ts'
import { createForgetUnasked } from './forget-unasked.ts'

const JOB = 'retention'
const EVERY_SECONDS = 6 * 3600
const LIMIT_SECONDS = 3_600

export function retentionModule({
  config: { retentionDays: days },
  database: { db },
  logger: log,
}: Pick<Ports, 'database' | 'logger'> & { config: { retentionDays: number | null } }) {
  const forgetUnasked = days === null ? undefined : createForgetUnasked({ db, days, log })
  const closeDays = days === null ? undefined : createCloseDays({ db, days, log })
  const pruneChanges = createPruneChanges(db)
  const handler = async (signal: AbortSignal) => {
    await pruneChanges(signal)
    await forgetUnasked?.(signal)
    await closeDays?.(signal)
  }
  const options = { retryLimit: 0, limitSeconds: LIMIT_SECONDS }
  return { jobs: [{ name: JOB, handler, options, everySeconds: EVERY_SECONDS }] } satisfies Module
}
