import { type Decimal, decimal, ZERO } from '../decimal.ts'
import type { Treatment } from '../transaction.ts'
import { sumKnown } from './apportion.ts'
import { borrow, changeDebt, repay } from './debt.ts'
import type { Entry } from './entry.ts'
import { findHandovers, isEarly } from './handover.ts'
import { basisOf, takeLots } from './lots.ts'
import { accrue, adjust, dropSpam, earn, payGas, receive, receiveSpam, sellUnpaid, send, shrink } from './outside.ts'
import { move } from './position.ts'
import { type Item, itemOf, noteCost, noteFee, type Posting, poolOf, startPosting, takeUnits } from './posting.ts'
import type { EntryResult } from './result.ts'
import type { InTransit } from './state.ts'
import { swap } from './swap.ts'
import { addTo, addToDay, findPool, forgetBasis, putIn, totalsOf, type WorkingState } from './working-state.ts'

/** Seconds; canonical rollup bridges take seven days. */
const LONGEST_CROSSING = 7 * 86_400
/** Smallest share that can arrive; the rest is the bridge's fee. */
const LEAST_ARRIVING = decimal('0.9')

function depart(posting: Posting, item: Item): void {
  const { working, entry } = posting
  const lots = takeUnits(posting, item)
  const { identity, price } = item.movement
  working.transit.push({ wallet: entry.wallet, identity, time: entry.time, price, quantity: item.units, lots })
  noteCost(posting, item, basisOf(lots))
}

/** The earliest matching departure, of this wallet first. Missing units are the fee and leave with their basis. */
function arrive(posting: Posting, item: Item): void {
  const { working } = posting
  const crossing = findCrossing(posting, item)
  if (!crossing) {
    receive(posting, item)
    return
  }
  working.transit.splice(working.transit.indexOf(crossing), 1)
  const lots = [...crossing.lots].reverse()
  const fee = crossing.quantity.minus(item.units)
  if (fee.gt(ZERO)) payBridge(posting, item, fee, crossing, basisOf(takeLots(lots, fee)))
  putIn(working, poolOf(posting, item), lots)
  noteCost(posting, item, basisOf(lots))
}

function expireTransit(posting: Posting): void {
  const { working, entry } = posting
  const isLate = (crossing: InTransit) => entry.time - crossing.time > LONGEST_CROSSING
  for (let first = working.transit[0]; first && isLate(first); first = working.transit[0]) {
    working.transit.shift()
    addTo(working, first.wallet, 'sentBasis', basisOf(first.lots))
    addTo(working, first.wallet, 'sentExternal', first.price && first.quantity.times(first.price))
  }
}

function findCrossing({ working, entry }: Posting, { movement, units }: Item): InTransit | undefined {
  const matching = working.transit.filter(
    (crossing) =>
      crossing.identity === movement.identity &&
      crossing.quantity.gte(units) &&
      units.gte(crossing.quantity.times(LEAST_ARRIVING)),
  )
  return matching.find((crossing) => crossing.wallet === entry.wallet) ?? matching[0]
}

function payBridge(posting: Posting, item: Item, fee: Decimal, crossing: InTransit, basis: Decimal | null): void {
  const { working, entry } = posting
  const { bridgeFees } = totalsOf(working, entry.wallet)
  const { identity } = crossing
  const price = item.movement.price ?? crossing.price
  bridgeFees[identity] = (bridgeFees[identity] ?? ZERO).plus(fee)
  addTo(working, entry.wallet, 'bridgeFeeBasis', basis)
  noteFee(posting, price && fee.times(price))
}

type Leg = { posting: Posting; items: Item[] }

/** Running in parts gives the same result, unless a transaction is split. */
export function postEntries(working: WorkingState, entries: Iterable<Entry>): EntryResult[] {
  const results: EntryResult[] = []
  for (const together of transactions(entries)) results.push(...post(working, together))
  return results
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

/** Posts gas last: the transaction's receipts can pay for it. */
function post(working: WorkingState, entries: readonly Entry[]): EntryResult[] {
  const handovers = findHandovers(entries)
  const postings = entries.map((entry) => startPosting(working, entry, handovers))
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
    const namesPosition = NAMING.has(movement.treatment) && movement.tokenId !== null
    if (movement.quantity.eq(ZERO) && !namesPosition) return
    const key = `${movement.leg} ${movement.treatment}`
    const leg = legs.get(key) ?? { posting, items: [] }
    leg.items.push(itemOf(movement, index))
    legs.set(key, leg)
  })
  return [...legs.values()]
}

const NAMING: ReadonlySet<Treatment> = new Set(['move', 'borrow', 'repay'])

/** Posts a receipt after the other wallet's send. */
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
  const pool = findPool(posting.working, poolOf(posting, item))
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

/** A one-sided swap counts as a transfer from or to the outside. */
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

function finish({ working, entry, result }: Posting): EntryResult {
  result.closedPnl = sumKnown(result.movements.map((movement) => movement.closedPnl))
  addToDay(working, entry.wallet, entry.time, result.income, result.expense)
  return result
}
