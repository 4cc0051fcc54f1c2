import type { snapshotEndpoints } from '@coffer/contract'
import type { Address } from '../../domain/address.ts'
import type { Handlers } from '../../http/mount.ts'
import type { PaidChanges } from '../credits/paid-changes.ts'
import type { Portfolios } from '../portfolio/portfolios.ts'
import type { Nights } from './nights.ts'
import type { SnapshotViews } from './snapshot-views.ts'
import { priceOf, subscribe } from './subscriptions.ts'

export function snapshotRoutes({
  portfolios,
  change,
  nights,
  views,
}: {
  portfolios: Pick<Portfolios, 'isRead' | 'check'>
  change: PaidChanges
  nights: Pick<Nights, 'askFirst' | 'begin'>
  views: SnapshotViews
}): Handlers<typeof snapshotEndpoints> {
  /** What was taken while chains of the kind were read stays readable. */
  const prepare = async ({ query, caller }: { query: WalletOnDay; caller: { accountId: string } }) => {
    const asked = dayOf(query, caller)
    if (!portfolios.isRead(asked.address) && !(await views.has(asked))) portfolios.check(query.addresses)
  }
  return {
    subscribeSnapshot: {
      async transact(call) {
        const wanted = call.body.addresses
        portfolios.check(wanted.map(({ address }) => address))
        const { askFirst } = nights
        const subscriptions = await change(
          { ...call, cost: (trx, account) => priceOf(trx, account, wanted) },
          (trx, account) => subscribe(trx, account, { wanted, askFirst }),
        )
        nights.begin()
        return { message: 'Snapshots are taken daily', subscriptions }
      },
    },
    getHistorical: { prepare, handle: ({ query, caller }) => views.portfolio(dayOf(query, caller)) },
    getTokenOverview: {
      prepare,
      handle: ({ query, caller, origin }) => views.tokenOverview(dayOf(query, caller), origin),
    },
  }
}

type WalletOnDay = { addresses: readonly Address[]; date: string }

/** The contract lets exactly one address through. */
function dayOf({ addresses, date }: WalletOnDay, { accountId }: { accountId: string }) {
  const [address] = addresses
  if (address === undefined) throw new Error('a request without an address')
  return { accountId, address, date }
}
