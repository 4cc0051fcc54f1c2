import type { Credits } from '../credits/credits.ts'
import type { SyncStore } from '../history/sync/sync-store.ts'
import type { Module, Ports } from '../module.ts'
import { portalQuoteRoutes } from './portal-quote-routes.ts'
import { createQuotes } from './quotes.ts'

export function quoteModule({
  database: { db },
  credits,
  portfolios,
  history: { syncStore, hasHistory },
  clock,
}: Pick<Ports, 'database' | 'portfolios' | 'clock'> & {
  credits: Pick<Credits, 'available'>
  history: { syncStore: Pick<SyncStore, 'wouldBe'>; hasHistory(wallet: string): boolean }
}) {
  const quotes = createQuotes({ db, credits, syncs: syncStore, clock, hasHistory, check: portfolios.check })
  return { portal: portalQuoteRoutes({ quotes }) } satisfies Module
}
