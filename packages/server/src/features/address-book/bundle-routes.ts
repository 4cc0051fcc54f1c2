import type { bundleEndpoints } from '@coffer/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Handlers } from '../../http/mount.ts'
import type { PaidChanges } from '../credits/paid-changes.ts'
import { addMember, createBundle, getBundle, listBundles, removeBundle, removeMember, renameBundle } from './bundles.ts'

export function bundleRoutes({
  db,
  change,
}: {
  db: Kysely<Tables>
  change: PaidChanges
}): Handlers<ReturnType<typeof bundleEndpoints>> {
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
