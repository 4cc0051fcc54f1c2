import type { Portfolio, TokenOverviewItem } from '@coffer/contract'
import { type Presentation, presentPortfolio } from '../portfolio/present-portfolio.ts'
import type { SnapshotStates, WalletDay } from './snapshot-states.ts'
import { type OverviewPresentation, presentTokenOverview } from './token-overview.ts'

export type SnapshotViews = ReturnType<typeof createSnapshotViews>

export function createSnapshotViews({
  states,
  presentation,
  overview,
}: {
  states: SnapshotStates
  presentation: Presentation
  overview(origin: string): OverviewPresentation
}) {
  return {
    has: states.has,
    portfolio: async (asked: WalletDay): Promise<Portfolio> => presentPortfolio(await states.get(asked), presentation),
    tokenOverview: async (asked: WalletDay, origin: string): Promise<TokenOverviewItem[]> =>
      presentTokenOverview((await states.get(asked)).reads, overview(origin)),
  }
}
