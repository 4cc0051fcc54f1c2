import type { exportEndpoints, transactionEndpoints } from '@coffer/contract'
import type { pnlEndpoints } from '@coffer/contract/portal'
import type { Address } from '../../domain/address.ts'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import type { PaidChanges } from '../credits/paid-changes.ts'
import type { GainFiles } from './exports/gain-files.ts'
import type { TransactionFiles } from './exports/transaction-files.ts'
import type { PnlViews } from './pnl/pnl-views.ts'
import type { Syncs } from './sync/run-sync.ts'
import { type HasHistory, refuseWithoutHistory } from './sync/sync-progress.ts'
import type { TransactionViews } from './transactions/transaction-views.ts'

/** The API contract fixes the first two. */
const ANSWERS = { begun: 'Address is syncing', running: 'Address already syncing', fresh: 'Address is synced' } as const

export function historyRoutes({
  views,
  syncs,
  check,
  hasHistory,
  change,
}: {
  views: TransactionViews
  syncs: Pick<Syncs, 'request' | 'wake'>
  check(wallets: readonly Address[]): void
  hasHistory: HasHistory
  change: PaidChanges
}): Handlers<ReturnType<typeof transactionEndpoints>> {
  return {
    listTransactions: {
      prepare: ({ query }) => views.check(query),
      handle: ({ query, caller, origin }) => views.list(caller.accountId, query, origin),
    },
    syncTransactions: {
      transact: async (call) => {
        const [wallet] = call.body.addresses
        check(call.body.addresses)
        refuseWithoutHistory(call.body.addresses, hasHistory)
        if (wallet === undefined) throw new Error('a request without an address')
        const requested = await change({ ...call, purpose: 'sync' }, async (trx, account, { giveBack }) => {
          const outcome = await syncs.request(trx, account, wallet)
          if (outcome !== 'begun') await giveBack()
          return outcome
        })
        if (requested === 'begun') syncs.wake()
        return ANSWERS[requested]
      },
    },
  }
}

export function exportRoutes({
  transactions,
  gains,
  check,
}: {
  transactions: TransactionFiles
  gains: GainFiles
  check(wallets: readonly Address[]): void
}): Handlers<ReturnType<typeof exportEndpoints>> {
  return {
    exportTransactions: {
      prepare: ({ query }) => transactions.check(query),
      handle: ({ query, caller }) => transactions.open(caller.accountId, query),
    },
    exportGains: {
      async prepare({ query, caller }) {
        check(query.addresses)
        await gains.check(caller.accountId, query)
      },
      handle: ({ query, caller }) => gains.open(caller.accountId, query),
    },
  }
}

export function portalPnlRoutes({
  views,
  check,
}: {
  views: PnlViews
  check(wallets: readonly Address[]): void
}): Handlers<typeof pnlEndpoints, PortalCaller> {
  const prepare = ({ query }: { query: { addresses: readonly Address[] } }) => check(query.addresses)
  return {
    getPnlPeriods: { prepare, handle: ({ caller, query }) => views.periods(caller.accountId, query) },
    listSoldLots: { prepare, handle: ({ caller, query }) => views.sold(caller.accountId, query) },
    listOpenLots: { prepare, handle: ({ caller, query }) => views.open(caller.accountId, query) },
    listEarnings: { prepare, handle: ({ caller, query }) => views.income(caller.accountId, query) },
  }
}
