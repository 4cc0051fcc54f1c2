import type { ChainNodes, FailingSync, operatorEndpoints } from '@coffer/contract/portal'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { listQueueStates } from '../../jobs/queue-states.ts'
import { listAccounts } from '../accounts/accounts.ts'
import { findViolations } from '../credits/ledger.ts'
import { listSyncs } from '../history/sync/sync-progress.ts'
import { actorOf } from '../portal-users/actor.ts'
import type { createAccountChanges } from './account-changes.ts'

type Views = {
  nodes(): ChainNodes[]
  priceSources(): {
    name: string
    place: number | null
    leavesNode: boolean
    settings: { variable: string; isSet: boolean }[]
  }[]
  configuration(): { version: string; node: string; settings: Readonly<Record<string, unknown>> }
}

export function portalOperatorRoutes({
  db,
  accounts,
  views,
}: {
  db: Kysely<Tables>
  accounts: ReturnType<typeof createAccountChanges>
  views: Views
}): Handlers<typeof operatorEndpoints, PortalCaller> {
  return {
    listAccounts: () => listAccounts(db),
    openAccount: ({ caller, body }) => accounts.create(actorOf(caller), body),
    changeAccount: ({ caller, params, body }) => accounts.update(actorOf(caller), params.id, body),
    grantCredits: ({ caller, params, body }) => accounts.grant(actorOf(caller), params.id, body),
    verifyCredits: async () => ({ violations: await findViolations(db) }),
    listNodes: () => views.nodes(),
    listQueues: () => listQueueStates(db),
    listFailingSyncs: async () => failing(await listSyncs(db)),
    listPriceSources: () => views.priceSources(),
    getConfiguration: () => views.configuration(),
  }
}

function failing(syncs: Awaited<ReturnType<typeof listSyncs>>): FailingSync[] {
  return syncs
    .filter(({ state, setAside }) => state === 'failed' || state === 'paused' || setAside.length > 0)
    .map(({ wallet, account, state, reason, requestedAt, setAside }) => ({
      wallet,
      account,
      state,
      reason,
      requestedAt,
      setAside,
    }))
}
