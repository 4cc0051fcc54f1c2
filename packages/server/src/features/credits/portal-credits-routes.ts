import type { ledgerEndpoints } from '@coffer/contract/portal'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { viewCredits, viewLedger } from './ledger-views.ts'

export function portalCreditsRoutes({ db }: { db: Kysely<Tables> }): Handlers<typeof ledgerEndpoints, PortalCaller> {
  return {
    listLedger: ({ caller, query }) => viewLedger(db, caller.accountId, query),
    viewCredits: ({ caller }) => viewCredits(db, caller.accountId),
  }
}
