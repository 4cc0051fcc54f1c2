import type { exportEndpoints } from '@coffer/contract'
import type { Address } from '../../../domain/address.ts'
import type { Handlers } from '../../../http/mount.ts'
import type { GainFiles } from './gain-files.ts'
import type { TransactionFiles } from './transaction-files.ts'

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
