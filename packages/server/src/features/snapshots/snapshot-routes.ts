import { Failure } from '@coffer/contract'
import type { Address } from '../../domain/address.ts'
import type { PaidChanges } from '../credits/paid-changes.ts'
import type { AllHandlers } from '../module.ts'
import type { Portfolios } from '../portfolio/portfolios.ts'
import { isWhole, type Presentation, presentPortfolio, withCompleteness } from '../portfolio/present-portfolio.ts'
import { isRead } from './day-states.ts'
import { beginFirst, type NightsContext } from './nights.ts'
import { getSnapshot, hasSnapshot } from './snapshots.ts'
import { priceOf, subscribe } from './subscriptions.ts'
import { type OverviewPresentation, presentTokenOverview } from './token-overview.ts'

type SnapshotRoutesContext = NightsContext & {
  portfolios: Portfolios
  change: PaidChanges
  presentation: Presentation
  overview(origin: string): OverviewPresentation
}

export function snapshotRoutes(context: SnapshotRoutesContext) {
  const { db, portfolios, change, presentation, overview } = context
  /** Snapshots of a disabled chain type stay readable. */
  const prepare = async ({ query, caller }: { query: WalletsOnDay; caller: { accountId: string } }) => {
    for (const asked of daysOf(query, caller)) {
      if (!portfolios.isRead(asked.address) && !(await hasSnapshot(db, asked))) portfolios.check([asked.address])
    }
  }
  return {
    subscribeSnapshot: {
      async transact(call) {
        const wanted = call.body.addresses
        portfolios.check(wanted.map(({ address }) => address))
        refuseUnread(context, wanted)
        const subscriptions = await change(
          { ...call, purpose: 'snapshots', cost: (trx, account) => priceOf(trx, account, wanted) },
          (trx, account) => subscribe(context, trx, account, wanted),
        )
        beginFirst(context)
        return { message: 'Snapshots are taken daily', subscriptions }
      },
    },
    getHistorical: {
      prepare,
      handle: async ({ query, caller }) => {
        const states = await Promise.all(daysOf(query, caller).map((asked) => getSnapshot(db, asked)))
        const views = states.map((state) => presentPortfolio(state, presentation))
        return withCompleteness(views, views.every(isWhole))
      },
    },
    getTokenOverview: {
      prepare,
      handle: async ({ query, caller, origin }) => {
        const [asked] = daysOf(query, caller)
        if (!asked) throw new Error('a request without an address')
        return presentTokenOverview((await getSnapshot(db, asked)).reads, overview(origin))
      },
    },
  } satisfies Partial<AllHandlers>
}

function refuseUnread(context: NightsContext, wanted: readonly { address: Address }[]): void {
  const unread = wanted.find(({ address }) => !isRead(context, address))
  if (unread)
    throw new Failure('VALIDATION_ERROR', `snapshots of wallets of this type cannot be taken: ${unread.address}`)
}

type WalletsOnDay = { addresses: readonly Address[]; date: string }

const daysOf = ({ addresses, date }: WalletsOnDay, { accountId }: { accountId: string }) =>
  addresses.map((address) => ({ accountId, address, date }))
