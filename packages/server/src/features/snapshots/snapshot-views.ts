import { Failure, type Portfolio, type TokenOverviewItem } from '@coffer/contract'
import type { Address } from '../../domain/address.ts'
import { valueRead } from '../../domain/valuation.ts'
import { type Presentation, presentPortfolio } from '../portfolio/present-portfolio.ts'
import type { SnapshotStore } from './snapshot-store.ts'
import { type OverviewPresentation, presentTokenOverview } from './token-overview.ts'

/** A wallet on a day, for the account that has its snapshots. */
type Asked = { accountId: string; address: Address; date: string }

export type SnapshotViews = ReturnType<typeof createSnapshotViews>

/** What wallets were on a day, by their snapshots: as it was then, at the prices of then. NOT_FOUND without one. */
export function createSnapshotViews({
  store,
  presentation,
  overview,
}: {
  store: Pick<SnapshotStore, 'find'>
  presentation: Presentation
  /** Pictures below the origin that a caller uses. */
  overview(origin: string): OverviewPresentation
}) {
  async function readsOf({ accountId, ...day }: Asked) {
    const reads = await store.find(accountId, day)
    if (!reads) throw new Failure('NOT_FOUND', `There is no snapshot of ${day.address} on ${day.date}`)
    return reads.map(valueRead)
  }

  return {
    /** Whether there is a snapshot. */
    has: async ({ accountId, ...day }: Asked): Promise<boolean> => (await store.find(accountId, day)) !== undefined,
    async portfolio(asked: Asked): Promise<Portfolio> {
      const state = { address: asked.address, reads: await readsOf(asked), incomplete: [] }
      return presentPortfolio(state, presentation)
    },
    tokenOverview: async (asked: Asked, origin: string): Promise<TokenOverviewItem[]> =>
      presentTokenOverview(await readsOf(asked), overview(origin)),
  }
}
