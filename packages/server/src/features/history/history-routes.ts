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
  syncs: Pick<Syncs, 'request'>
  change: PaidChanges
}): Handlers<typeof transactionEndpoints> {
  return {
    listTransactions: {
      prepare: ({ query }) => views.check(query),
      handle: ({ query, caller }) => views.list(caller.accountId, query),
    },
    syncTransactions: {
      transact: (call) =>
        change(call, async (trx, account, { giveBack }) => {
          const [wallet] = call.body.addresses
          if (wallet && (await syncs.request(trx, account, wallet))) return 'Address is syncing'
          await giveBack()
          return 'Address already syncing'
        }),
    },
  }
}
