import type { portalAddressBookEndpoints } from '@coffer/contract/portal'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { poolsOfType } from '../../wallets/create-pools.ts'
import type { Module, Ports } from '../module.ts'
import { actorOf } from '../portal-users/audit.ts'
import { addEntries, listEntries, relabelEntry, removeEntry, selectEntries } from './address-book.ts'
import { addMember, createBundle, getBundle, listBundles, removeBundle, removeMember, renameBundle } from './bundles.ts'
import { challengeOwner, type KeptEntries, removeKeptEntry, verifyOwner } from './kept-entries.ts'

export function addressBookModule({ database: { db }, change, chainTypes, reading }: Ports) {
  return {
    handlers: {
      listAddressBook: ({ caller }) => asData(listEntries(db, caller.accountId)),
      addToAddressBook: {
        transact: (call) => change(call, (trx, account) => asData(addEntries(trx, account, call.body.entries))),
      },
      relabelAddress: {
        transact: (call) =>
          change(call, (trx, account) => asData(relabelEntry(trx, account, { ...call.params, ...call.body }))),
      },
      removeFromAddressBook: {
        transact: (call) => change(call, (trx, account) => removeEntry(trx, account, call.params.address)),
      },
      listBundles: ({ caller }) => asData(listBundles(db, caller.accountId)),
      getBundle: ({ caller, params }) => asData(getBundle(db, caller.accountId, params.bundleId)),
      createBundle: {
        transact: (call) => change(call, (trx, account) => asData(createBundle(trx, account, call.body))),
      },
      renameBundle: {
        transact: ({ params, body, ...call }) =>
          change(call, (trx, account) => asData(renameBundle(trx, account, { id: params.bundleId, ...body }))),
      },
      removeBundle: {
        transact: (call) => change(call, (trx, account) => removeBundle(trx, account, call.params.bundleId)),
      },
      addBundleAddress: {
        transact: ({ params, body, ...call }) =>
          change(call, (trx, account) => asData(addMember(trx, account, { id: params.bundleId, ...body }))),
      },
      removeBundleAddress: {
        transact: ({ params: { bundleId: id, address }, ...call }) =>
          change(call, (trx, account) => asData(removeMember(trx, account, { id, address }))),
      },
    },
    portal: portalAddressBookRoutes({ db, chainTypes, poolsOf: poolsOfType(reading) }),
  } satisfies Module
}

const asData = async <T>(found: Promise<T>) => ({ data: await found })

function portalAddressBookRoutes(context: KeptEntries): Handlers<typeof portalAddressBookEndpoints, PortalCaller> {
  type Call = { caller: PortalCaller; params: { address: string } }
  const own = ({ caller: { accountId }, params: { address } }: Call) => ({ accountId, address })
  return {
    listEntries: ({ caller }) => selectEntries(context.db, caller.accountId),
    removeEntry: async (call) => {
      await removeKeptEntry(context, actorOf(call.caller), own(call))
      return {}
    },
    challengeOwner: (call) => challengeOwner(context, own(call), `Coffer at ${call.origin}`),
    verifyOwner: (call) => verifyOwner(context, actorOf(call.caller), own(call), call.body.signature),
  }
}
