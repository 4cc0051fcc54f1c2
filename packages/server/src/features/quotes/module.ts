import type { QuoteAsked, QuoteView, quoteEndpoints } from '@coffer/contract/portal'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Credits } from '../credits/credits.ts'
import { PAGE, type SyncStore } from '../history/sync/sync-store.ts'
import type { Module, Ports } from '../module.ts'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import type { Clock } from '../../lib/clock.ts'
import { type HasHistory, refuseWithoutHistory } from '../history/has-history.ts'
import { quoteEach } from '../snapshots/subscriptions.ts'

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

function portalQuoteRoutes({ quotes }: { quotes: Quotes }): Handlers<typeof quoteEndpoints, PortalCaller> {
  return { quote: ({ caller, body }) => quotes(caller.accountId, body) }
}

/** For the request of a sync. */
const SYNC_CREDITS = 1

type Item = QuoteView['items'][number]
type Quotes = ReturnType<typeof createQuotes>

/** Throws VALIDATION_ERROR for wallets that the call would refuse. */
function createQuotes({
  db,
  credits,
  syncs,
  clock,
  hasHistory,
  check,
}: {
  db: Kysely<Tables>
  credits: Pick<Credits, 'available'>
  syncs: Pick<SyncStore, 'wouldBe'>
  clock: Clock
  hasHistory: HasHistory
  check(wallets: readonly Address[]): void
}) {
  async function syncItem(address: Address): Promise<Item> {
    const outcome = await syncs.wouldBe(address, clock.now())
    return outcome === 'begun' ? { address, credits: SYNC_CREDITS, why: 'new' } : { address, credits: 0, why: outcome }
  }

  async function snapshotItems(accountId: string, addresses: readonly Address[]): Promise<Item[]> {
    const each = await quoteEach(db, accountId, addresses)
    return each.map((item) => ({ ...item, why: item.credits === 0 ? 'running' : 'new' }))
  }

  async function itemsOf(accountId: string, { endpoint, addresses }: QuoteAsked): Promise<Item[]> {
    check(addresses)
    if (endpoint === 'subscribeSnapshot') return snapshotItems(accountId, addresses)
    refuseWithoutHistory(addresses, hasHistory)
    return Promise.all(addresses.map(syncItem))
  }

  return async (accountId: string, asked: QuoteAsked): Promise<QuoteView> => {
    const [items, available] = await Promise.all([itemsOf(accountId, asked), credits.available(accountId)])
    const due = items.reduce((total, item) => total + item.credits, 0)
    const begins = asked.endpoint === 'syncTransactions' && due > 0
    return {
      credits: due,
      more: begins ? { credits: 1, per: PAGE } : null,
      available,
      isEnough: due <= available,
      items,
    }
  }
}
