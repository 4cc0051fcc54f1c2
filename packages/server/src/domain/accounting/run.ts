import { ZERO } from '../decimal.ts'
import type { Treatment } from '../transaction.ts'
import { sumKnown } from './apportion.ts'
import { addToDay, type Books, closeBooks, findPool, forgetBasis, openBooks } from './books.ts'
import { arrive, depart, expireTransit } from './bridge.ts'
import { borrow, changeDebt, repay } from './debt.ts'
import type { Entry, EntryMovement } from './entry.ts'
import { findHandovers, isEarly } from './handover.ts'
import { accrue, adjust, dropSpam, earn, payGas, receive, receiveSpam, sellUnpaid, send, shrink } from './outside.ts'
import { move } from './position.ts'
import { type Item, itemOf, type Posting, poolOf, startPosting } from './posting.ts'
import type { DayFigures, EntryResult } from './result.ts'
import { emptyState, type State } from './state.ts'
import { swap } from './swap.ts'

/** Movements of one leg and one treatment, of one entry. */
type Leg = { posting: Posting; items: Item[] }

type Run = {
  state: State
  /** One for each entry, in their order. */
  results: EntryResult[]
  /** Each wallet and UTC day with an entry; a day that `from` ended in goes on. */
  days: DayFigures[]
}

/**
 * Books entries: returns what each cost and realised, and the state after them. Continues from the state `from`, which
 * sets the method and is not changed. Running entries in parts gives the same result as at once, if no transaction is
 * split.
 */
export function runEntries(entries: Iterable<Entry>, from: State = emptyState()): Run {
  const books = openBooks(from)
  const results: EntryResult[] = []
  for (const together of transactions(entries)) results.push(...post(books, together))
  return { state: closeBooks(books), results, days: [...books.days.values()] }
}

function* transactions(entries: Iterable<Entry>): Generator<Entry[]> {
  let together: Entry[] = []
  for (const entry of entries) {
    const [first] = together
    const same = first?.transaction && first.transaction === entry.transaction && first.chain === entry.chain
    if (first && !same) {
      yield together
      together = []
    }
    together.push(entry)
  }
  if (together.length > 0) yield together
}

/** Legs first, then gas: what a transaction brings in can pay for it. */
function post(books: Books, entries: readonly Entry[]): EntryResult[] {
  const handovers = findHandovers(entries)
  const postings = entries.map((entry) => startPosting(books, entry, handovers))
  const [first] = postings
  if (first) expireTransit(first)
  const legs = postings.flatMap(legsOf)
  const gas = legs.filter((leg) => treatmentOf(leg) === 'fee')
  const others = legs.filter((leg) => treatmentOf(leg) !== 'fee')
  for (const leg of handovers.size === 0 ? others : inOrder(others)) postLeg(leg)
  for (const leg of gas) postLeg(leg)
  return postings.map(finish)
}

function legsOf(posting: Posting): Leg[] {
  const legs = new Map<string, Leg>()
  posting.entry.movements.forEach((movement, index) => {
    if (movement.quantity.eq(ZERO) && !namesPosition(movement)) return
    const key = `${movement.leg} ${movement.treatment}`
    const leg = legs.get(key) ?? { posting, items: [] }
    leg.items.push(itemOf(movement, index))
    legs.set(key, leg)
  })
  return [...legs.values()]
}

const NAMING: ReadonlySet<Treatment> = new Set(['move', 'borrow', 'repay'])
const namesPosition = ({ treatment, tokenId }: EntryMovement) => NAMING.has(treatment) && tokenId !== null

/** Keeps the order of each wallet, but posts what it receives from another wallet after that one has sent it. */
function* inOrder(legs: readonly Leg[]): Generator<Leg> {
  let waiting = [...legs]
  while (waiting.length > 0) {
    const heads = new Map(waiting.toReversed().map((leg) => [leg.posting, leg]))
    const next = [...heads.values(), ...waiting].find((leg) => !waits(leg)) ?? waiting[0]
    waiting = waiting.filter((leg) => leg !== next)
    if (next) yield next
  }
}

const waits = ({ posting, items }: Leg) =>
  items.some((item) => isEarly(posting.handovers, posting.entry, item.movement))

const treatmentOf = ({ items }: Leg) => items[0]?.movement.treatment

function postLeg({ posting, items }: Leg): void {
  const doubted = items.filter((item) => item.movement.doubted)
  for (const item of doubted) forgetPool(posting, item)
  postItems(posting, items)
  for (const item of doubted) forgetPool(posting, item)
}

function forgetPool(posting: Posting, item: Item): void {
  const pool = findPool(posting.books, poolOf(posting, item))
  if (pool) forgetBasis(pool)
}

function postItems(posting: Posting, items: readonly Item[]): void {
  const named = items.find((item) => item.units.eq(ZERO))
  const assets = items.filter((item) => !item.movement.debt && item.units.gt(ZERO))
  const debts = items.filter((item) => item.movement.debt)
  const treatment = items[0]?.movement.treatment
  if (treatment === 'borrow') borrow(posting, assets, debts, named)
  else if (treatment === 'repay') repay(posting, assets, debts, named)
  else {
    for (const item of debts) changeDebt(posting, item)
    postAssets(posting, treatment, assets, named)
  }
}

/** A swap without one of its sides is none: its assets come from or go to the outside. */
function postAssets(
  posting: Posting,
  treatment: Treatment | undefined,
  assets: readonly Item[],
  named: Item | undefined,
): void {
  const given = assets.filter((item) => !item.incoming)
  const received = assets.filter((item) => item.incoming)
  if (treatment === 'move') move(posting, given, received, named)
  else if (treatment === 'swap' && given.length > 0 && received.length > 0) swap(posting, given, received)
  else for (const item of assets) postAsset(posting, item)
}

type Post = (posting: Posting, item: Item) => void

/** What a movement does that stands by itself, by direction. */
const POSTS: Partial<Record<Treatment, { incoming: Post; outgoing: Post }>> = {
  income: { incoming: earn, outgoing: send },
  interest: { incoming: accrue, outgoing: shrink },
  bridge: { incoming: arrive, outgoing: depart },
  spam: { incoming: receiveSpam, outgoing: dropSpam },
  gap: { incoming: adjust, outgoing: adjust },
  fee: { incoming: receive, outgoing: payGas },
}
const OUTSIDE = { incoming: receive, outgoing: send }
const UNPAID = { incoming: receive, outgoing: sellUnpaid }

function postAsset(posting: Posting, item: Item): void {
  const { incoming, outgoing } = POSTS[item.movement.treatment] ?? (item.movement.unpaid ? UNPAID : OUTSIDE)
  if (item.incoming) incoming(posting, item)
  else outgoing(posting, item)
}

function finish({ books, entry, result }: Posting): EntryResult {
  result.closedPnl = sumKnown(result.movements.map((movement) => movement.closedPnl))
  addToDay(books, entry.wallet, entry.time, result.income, result.expense)
  return result
}
