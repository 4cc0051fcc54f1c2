import type { usageEndpoints } from '@coffer/contract/portal'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Module, Ports } from '../module.ts'
import { pruneUsage, type UsageCounter, viewUsage } from './usage-counter.ts'

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

function portalUsageRoutes({ db }: { db: Kysely<Tables> }): Handlers<typeof usageEndpoints, PortalCaller> {
  return { getUsage: ({ caller, query }) => viewUsage(db, caller.accountId, query.days) }
}
