import type { addressBookEndpoints, bundleEndpoints } from '@coffer/contract'
import type { portalAddressBookEndpoints } from '@coffer/contract/portal'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import type { PaidChanges } from '../credits/paid-changes.ts'
import { actorOf } from '../portal-users/audit.ts'
import { addEntries, listEntries, relabelEntry, removeEntry } from './address-book.ts'
import { addMember, createBundle, getBundle, listBundles, removeBundle, removeMember, renameBundle } from './bundles.ts'
import type { KeptEntries } from './kept-entries.ts'

type Paid = { db: Kysely<Tables>; change: PaidChanges }

export function addressBookRoutes({ db, change }: Paid): Handlers<ReturnType<typeof addressBookEndpoints>> {
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

export function bundleRoutes({ db, change }: Paid): Handlers<ReturnType<typeof bundleEndpoints>> {
  return {
    listBundles: async ({ caller }) => ({ data: await listBundles(db, caller.accountId) }),
    getBundle: async ({ caller, params }) => ({ data: await getBundle(db, caller.accountId, params.bundleId) }),
    createBundle: {
      transact: (call) => change(call, async (trx, account) => ({ data: await createBundle(trx, account, call.body) })),
    },
    renameBundle: {
      transact: (call) =>
        change(call, async (trx, account) => ({
          data: await renameBundle(trx, account, { id: call.params.bundleId, name: call.body.name }),
        })),
    },
    removeBundle: {
      transact: (call) => change(call, (trx, account) => removeBundle(trx, account, call.params.bundleId)),
    },
    addBundleAddress: {
      transact: (call) =>
        change(call, async (trx, account) => ({
          data: await addMember(trx, account, { id: call.params.bundleId, address: call.body.address }),
        })),
    },
    removeBundleAddress: {
      transact: (call) =>
        change(call, async (trx, account) => ({
          data: await removeMember(trx, account, { id: call.params.bundleId, address: call.params.address }),
        })),
    },
  }
}

export function portalAddressBookRoutes({
  entries,
}: {
  entries: KeptEntries
}): Handlers<typeof portalAddressBookEndpoints, PortalCaller> {
  const own = ({ caller, params }: { caller: PortalCaller; params: { address: string } }) => ({
    accountId: caller.accountId,
    address: params.address,
  })
  return {
    listEntries: ({ caller }) => entries.list(caller.accountId),
    removeEntry: async (call) => {
      await entries.remove(actorOf(call.caller), own(call))
      return {}
    },
    challengeOwner: (call) => entries.challenge(own(call), `Coffer at ${call.origin}`),
    verifyOwner: (call) => entries.verify(actorOf(call.caller), own(call), call.body.signature),
  }
}
