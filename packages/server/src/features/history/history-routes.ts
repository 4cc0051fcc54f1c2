import type { transactionEndpoints } from '@coffer/contract'
import type { Address } from '../../domain/address.ts'
import type { Handlers } from '../../http/mount.ts'
import type { PaidChanges } from '../credits/paid-changes.ts'
import { type HasHistory, refuseWithoutHistory } from './has-history.ts'
import type { Syncs } from './sync/syncs.ts'
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
