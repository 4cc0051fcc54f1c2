import { Failure, type Portfolio, type TokenOverviewItem } from '@coffer/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { valueRead } from '../../domain/valuation.ts'
import { type PortfolioState, type Presentation, presentPortfolio } from '../portfolio/present-portfolio.ts'
import { createSnapshotStore } from './snapshot-store.ts'
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

type WalletDay = { accountId: string; address: Address; date: string }

export type SnapshotStates = ReturnType<typeof createSnapshotStates>

/** At the prices of the day. */
export function createSnapshotStates(db: Kysely<Tables>) {
  const store = createSnapshotStore(db)
  return {
    has: async ({ accountId, ...day }: WalletDay): Promise<boolean> => (await store.find(accountId, day)) !== undefined,
    /** Throws NOT_FOUND. */
    async get({ accountId, ...day }: WalletDay): Promise<PortfolioState> {
      const reads = await store.find(accountId, day)
      if (!reads) throw new Failure('NOT_FOUND', `There is no snapshot of ${day.address} on ${day.date}`)
      return { address: day.address, reads: reads.map(valueRead), incomplete: [] }
    },
  }
}
