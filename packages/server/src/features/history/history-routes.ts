import type { transactionEndpoints } from '@coffer/contract'
import type { Handlers } from '../../http/mount.ts'
import type { PaidChanges } from '../credits/paid-changes.ts'
import type { Syncs } from './syncs.ts'
import type { TransactionViews } from './transaction-views.ts'

export function historyRoutes({
  views,
  syncs,
  change,
}: {
  views: TransactionViews
  syncs: Pick<Syncs, 'request' | 'wake'>
  change: PaidChanges
}): Handlers<typeof transactionEndpoints> {
  return {
    listTransactions: {
      prepare: ({ query }) => views.check(query),
      handle: ({ query, caller }) => views.list(caller.accountId, query),
    },
    syncTransactions: {
      transact: async (call) => {
        const [wallet] = call.body.addresses
        const begun = await change(call, async (trx, account, { giveBack }) => {
          const isNew = wallet !== undefined && (await syncs.request(trx, account, wallet))
          if (!isNew) await giveBack()
          return isNew
        })
        if (begun) syncs.wake()
        return begun ? 'Address is syncing' : 'Address already syncing'
      },
    },
  }
}
