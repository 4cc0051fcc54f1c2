import { Failure, type snapshotEndpoints } from '@coffer/contract'
import type { seriesEndpoints } from '@coffer/contract/portal'
import type { Address } from '../../domain/address.ts'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import type { PaidChanges } from '../credits/paid-changes.ts'
import type { Portfolios } from '../portfolio/portfolios.ts'
import { isWhole, withCompleteness } from '../portfolio/present-portfolio.ts'
import type { Nights } from './nights.ts'
import type { Series } from './series.ts'
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
  nights: Pick<Nights, 'askFirst' | 'begin' | 'isPassing' | 'isRead'>
  views: SnapshotViews
}): Handlers<ReturnType<typeof snapshotEndpoints>> {
  /** Snapshots of a disabled chain type stay readable. */
  const prepare = async ({ query, caller }: { query: WalletsOnDay; caller: { accountId: string } }) => {
    for (const asked of daysOf(query, caller)) {
      if (!portfolios.isRead(asked.address) && !(await views.has(asked))) portfolios.check([asked.address])
    }
  }
  return {
    subscribeSnapshot: {
      async transact(call) {
        const wanted = call.body.addresses
        portfolios.check(wanted.map(({ address }) => address))
        refuseUnread(wanted, nights.isRead)
        const { askFirst, isPassing } = nights
        const subscriptions = await change(
          { ...call, purpose: 'snapshots', cost: (trx, account) => priceOf(trx, account, wanted) },
          (trx, account) => subscribe(trx, account, { wanted, askFirst, isPassing }),
        )
        nights.begin()
        return { message: 'Snapshots are taken daily', subscriptions }
      },
    },
    getHistorical: {
      prepare,
      handle: async ({ query, caller }) => {
        const portfolios = await Promise.all(daysOf(query, caller).map(views.portfolio))
        return withCompleteness(portfolios, portfolios.every(isWhole))
      },
    },
    getTokenOverview: {
      prepare,
      handle: ({ query, caller, origin }) => {
        const [asked] = daysOf(query, caller)
        if (!asked) throw new Error('a request without an address')
        return views.tokenOverview(asked, origin)
      },
    },
  }
}

function refuseUnread(wanted: readonly { address: Address }[], isRead: (wallet: Address) => boolean): void {
  const unread = wanted.find(({ address }) => !isRead(address))
  if (unread)
    throw new Failure('VALIDATION_ERROR', `snapshots of wallets of this kind cannot be taken: ${unread.address}`)
}

type WalletsOnDay = { addresses: readonly Address[]; date: string }

const daysOf = ({ addresses, date }: WalletsOnDay, { accountId }: { accountId: string }) =>
  addresses.map((address) => ({ accountId, address, date }))

export function portalSeriesRoutes({ series }: { series: Series }): Handlers<typeof seriesEndpoints, PortalCaller> {
  return { getSeries: ({ caller, query }) => series(caller.accountId, query) }
}
