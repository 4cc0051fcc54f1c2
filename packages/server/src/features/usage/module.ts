import type { Module, Ports } from '../module.ts'
import { portalUsageRoutes } from './portal-usage-routes.ts'
import type { UsageCounter } from './usage-counter.ts'
import { pruneUsage } from './usage-store.ts'

const JOB = 'usage-retention'
const EVERY_SECONDS = 24 * 3_600
/** Longer than the year that the portal shows. */
const KEPT_DAYS = 400

export function usageModule({ database: { db }, usage }: Pick<Ports, 'database'> & { usage: UsageCounter }) {
  const handler = async () => {
    await pruneUsage(db, KEPT_DAYS)
  }
  return {
    portal: portalUsageRoutes({ db }),
    jobs: [{ name: JOB, handler, options: { retryLimit: 0 }, everySeconds: EVERY_SECONDS }],
    start: usage.start,
    close: usage.stop,
  } satisfies Module
}
