import type { pnlEndpoints } from '@coffer/contract/portal'
import type { Address } from '../../domain/address.ts'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import type { PaidChanges } from '../credits/paid-changes.ts'
import type { AllHandlers } from '../module.ts'
import type { CostContext, SyncContext } from './context.ts'
import { checkGains, openGains } from './exports/gain-files.ts'
import { openTransactions } from './exports/transaction-files.ts'
import { createPnlViews } from './pnl/pnl-views.ts'
import { requestSync, wakeSyncs } from './sync/run-sync.ts'
import { refuseWithoutHistory } from './sync/sync-progress.ts'
import { checkFilter, listShown, type TransactionsContext } from './transactions/transaction-views.ts'

type RoutesContext = TransactionsContext & {
  syncs: SyncContext
  costContext: CostContext
  check(wallets: readonly Address[]): void
  change: PaidChanges
}

/** The API contract fixes the first two. */
const ANSWERS = { begun: 'Address is syncing', running: 'Address already syncing', fresh: 'Address is synced' } as const

export function historyRoutes(context: RoutesContext) {
  const { syncs, costContext, check, change } = context
  return {
    listTransactions: {
      prepare: ({ query }) => void checkFilter(context, query),
      handle: ({ query, caller, origin }) => listShown(context, caller.accountId, query, origin),
    },
    syncTransactions: {
      transact: async (call) => {
        const [wallet] = call.body.addresses
        check(call.body.addresses)
        refuseWithoutHistory(syncs, call.body.addresses)
        if (wallet === undefined) throw new Error('a request without an address')
        const requested = await change({ ...call, purpose: 'sync' }, async (trx, account, { giveBack }) => {
          const outcome = await requestSync(syncs, trx, account, wallet)
          if (outcome !== 'begun') await giveBack()
          return outcome
        })
        if (requested === 'begun') wakeSyncs(syncs)
        return ANSWERS[requested]
      },
    },
    exportTransactions: {
      prepare: ({ query }) => void checkFilter(context, query),
      handle: ({ query, caller }) => openTransactions(context, caller.accountId, query),
    },
    exportGains: {
      async prepare({ query, caller }) {
        check(query.addresses)
        await checkGains(costContext, caller.accountId, query)
      },
      handle: ({ query, caller }) => openGains(costContext, caller.accountId, query),
    },
  } satisfies Partial<AllHandlers>
}

export function portalPnlRoutes({
  costContext,
  clock,
  check,
}: RoutesContext): Handlers<typeof pnlEndpoints, PortalCaller> {
  const pnl = createPnlViews(costContext, clock)
  const prepare = ({ query }: { query: { addresses: readonly Address[] } }) => check(query.addresses)
  return {
    getPnlPeriods: { prepare, handle: ({ caller, query }) => pnl.periods(caller.accountId, query) },
    listSoldLots: { prepare, handle: ({ caller, query }) => pnl.sold(caller.accountId, query) },
    listOpenLots: { prepare, handle: ({ caller, query }) => pnl.open(caller.accountId, query) },
    listEarnings: { prepare, handle: ({ caller, query }) => pnl.income(caller.accountId, query) },
  }
}
