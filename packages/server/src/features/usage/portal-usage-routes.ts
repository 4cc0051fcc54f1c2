import type { usageEndpoints } from '@coffer/contract/portal'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { viewUsage } from './usage-store.ts'

export function portalUsageRoutes({ db }: { db: Kysely<Tables> }): Handlers<typeof usageEndpoints, PortalCaller> {
  return { getUsage: ({ caller, query }) => viewUsage(db, caller.accountId, query.days) }
}
