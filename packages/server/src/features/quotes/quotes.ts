import type { QuoteAsked, QuoteView } from '@coffer/contract/portal'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Credits } from '../credits/credits.ts'
import { type HasHistory, refuseWithoutHistory } from '../history/has-history.ts'
import { PAGE, type SyncStore } from '../history/sync/sync-store.ts'
import { quoteEach } from '../snapshots/subscriptions.ts'

/** For the request of a sync. */
const SYNC_CREDITS = 1

type Item = QuoteView['items'][number]
export type Quotes = ReturnType<typeof createQuotes>

/** Throws VALIDATION_ERROR for wallets that the call would refuse. */
export function createQuotes({
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
