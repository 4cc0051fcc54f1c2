import type { addressBookEndpoints } from '@coffer/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Handlers } from '../../http/mount.ts'
import type { PaidChanges } from '../credits/paid-changes.ts'
import { addEntries, listEntries, relabelEntry, removeEntry } from './address-book.ts'

export function addressBookRoutes({
  db,
  change,
}: {
  db: Kysely<Tables>
  change: PaidChanges
}): Handlers<ReturnType<typeof addressBookEndpoints>> {
  return {
    listAddressBook: async ({ caller }) => ({ data: await listEntries(db, caller.accountId) }),
    addToAddressBook: {
      transact: (call) =>
        change(call, async (trx, account) => ({ data: await addEntries(trx, account, call.body.entries) })),
    },
    relabelAddress: {
      transact: (call) =>
        change(call, async (trx, account) => ({
          data: await relabelEntry(trx, account, { ...call.params, ...call.body }),
        })),
    },
    removeFromAddressBook: {
      transact: (call) => change(call, (trx, account) => removeEntry(trx, account, call.params.address)),
    },
  }
}
