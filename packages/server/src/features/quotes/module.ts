import type { QuoteAsked, QuoteView } from '@coffer/contract/portal'
import type { Credits } from '../credits/credits.ts'
import type { SyncContext } from '../history/context.ts'
import { refuseWithoutHistory } from '../history/sync/sync-progress.ts'
import { PAGE, wouldBe } from '../history/sync/sync-store.ts'
import type { Module, Ports } from '../module.ts'
import { quoteEach } from '../snapshots/subscriptions.ts'

/** For the request of a sync. */
const SYNC_CREDITS = 1

type Item = QuoteView['items'][number]

type QuotesContext = Ports & {
  credits: Credits
  history: { syncs: SyncContext }
}

export function quoteModule(context: QuotesContext) {
  return { portal: { quote: ({ caller, body }) => quote(context, caller.accountId, body) } } satisfies Module
}

/** Throws VALIDATION_ERROR for wallets that the call would refuse. */
async function quote(context: QuotesContext, accountId: string, asked: QuoteAsked): Promise<QuoteView> {
  const [items, available] = await Promise.all([
    itemsOf(context, accountId, asked),
    context.credits.available(accountId),
  ])
  const due = items.reduce((total, item) => total + item.credits, 0)
  const begins = asked.endpoint === 'syncTransactions' && due > 0
  const more = begins ? { credits: 1, per: PAGE } : null
  return { credits: due, more, available, isEnough: due <= available, items }
}

async function itemsOf(
  { database, portfolios, history, clock }: QuotesContext,
  accountId: string,
  { endpoint, addresses }: QuoteAsked,
): Promise<Item[]> {
  portfolios.check(addresses)
  if (endpoint === 'subscribeSnapshot') {
    const each = await quoteEach(database.db, accountId, addresses)
    return each.map((item) => ({ ...item, why: item.credits === 0 ? 'running' : 'new' }))
  }
  refuseWithoutHistory(history.syncs, addresses)
  return Promise.all(
    addresses.map(async (address): Promise<Item> => {
      const outcome = await wouldBe(database.db, address, clock.now())
      return outcome === 'begun'
        ? { address, credits: SYNC_CREDITS, why: 'new' }
        : { address, credits: 0, why: outcome }
    }),
  )
}
