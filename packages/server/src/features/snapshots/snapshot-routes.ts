import type { snapshotEndpoints } from '@coffer/contract'
import type { EvmAddress } from '../../domain/evm-address.ts'
import type { Handlers } from '../../http/mount.ts'
import type { PaidChanges } from '../credits/paid-changes.ts'
import type { Nights } from './nights.ts'
import type { SnapshotViews } from './snapshot-views.ts'
import { priceOf, subscribe } from './subscriptions.ts'

export function snapshotRoutes({
  change,
  nights,
  views,
}: {
  change: PaidChanges
  nights: Pick<Nights, 'askFirst' | 'begin'>
  views: SnapshotViews
}): Handlers<typeof snapshotEndpoints> {
  return {
    subscribeSnapshot: {
      async transact(call) {
        const wanted = call.body.addresses
        const { askFirst } = nights
        const subscriptions = await change(
          { ...call, cost: (trx, account) => priceOf(trx, account, wanted) },
          (trx, account) => subscribe(trx, account, { wanted, askFirst }),
        )
        nights.begin()
        return { message: 'Snapshots are taken daily', subscriptions }
      },
    },
    getHistorical: ({ query, caller }) => views.portfolio(dayOf(query, caller)),
    getTokenOverview: ({ query, caller, origin }) => views.tokenOverview(dayOf(query, caller), origin),
  }
}

/** The contract lets exactly one address through. */
function dayOf(
  { addresses, date }: { addresses: readonly EvmAddress[]; date: string },
  { accountId }: { accountId: string },
) {
  const [address] = addresses
  if (address === undefined) throw new Error('a request without an address')
  return { accountId, address, date }
}
