import { type Decimal, decimal, ZERO } from '../decimal.ts'
import { putIn, totalsOf } from './books.ts'
import { basisOf, takeLots } from './lots.ts'
import { receive } from './outside.ts'
import { type Item, noteCost, noteFee, type Posting, poolOf, takeUnits } from './posting.ts'
import type { InTransit } from './state.ts'

/** Seconds; canonical rollup bridges take seven days. */
const LONGEST_CROSSING = 7 * 86_400
/** Smallest share that can arrive; the rest is the bridge's fee. */
const LEAST_ARRIVING = decimal('0.9')

export function depart(posting: Posting, item: Item): void {
  const { books, entry } = posting
  const lots = takeUnits(posting, item)
  const { identity, price } = item.movement
  books.transit.push({ wallet: entry.wallet, identity, time: entry.time, price, quantity: item.units, lots })
  noteCost(posting, item, basisOf(lots))
}

/**
 * Takes the earliest matching departure, of this wallet first. Missing units are the fee and leave with their basis.
 * Without a match the units come from outside.
 */
export function arrive(posting: Posting, item: Item): void {
  const { books } = posting
  const crossing = findCrossing(posting, item)
  if (!crossing) {
    receive(posting, item)
    return
  }
  books.transit.splice(books.transit.indexOf(crossing), 1)
  const lots = [...crossing.lots].reverse()
  const fee = crossing.quantity.minus(item.units)
  if (fee.gt(ZERO)) payBridge(posting, item, fee, crossing, basisOf(takeLots(lots, fee)))
  putIn(books, poolOf(posting, item), lots)
  noteCost(posting, item, basisOf(lots))
}

export function expireTransit(posting: Posting): void {
  const { books, entry } = posting
  for (let first = books.transit[0]; first && isLate(first, entry.time); first = books.transit[0]) {
    books.transit.shift()
    const totals = totalsOf(books, first.wallet)
    totals.sentBasis = totals.sentBasis.plus(basisOf(first.lots) ?? ZERO)
    totals.sentExternal = totals.sentExternal.plus(first.price ? first.quantity.times(first.price) : ZERO)
  }
}

const isLate = (crossing: InTransit, now: number) => now - crossing.time > LONGEST_CROSSING

function findCrossing({ books, entry }: Posting, { movement, units }: Item): InTransit | undefined {
  const matching = books.transit.filter(
    (crossing) =>
      crossing.identity === movement.identity &&
      crossing.quantity.gte(units) &&
      units.gte(crossing.quantity.times(LEAST_ARRIVING)),
  )
  return matching.find((crossing) => crossing.wallet === entry.wallet) ?? matching[0]
}

function payBridge(posting: Posting, item: Item, fee: Decimal, crossing: InTransit, basis: Decimal | null): void {
  const totals = totalsOf(posting.books, posting.entry.wallet)
  const { identity } = crossing
  const price = item.movement.price ?? crossing.price
  totals.bridgeFees[identity] = (totals.bridgeFees[identity] ?? ZERO).plus(fee)
  totals.bridgeFeeBasis = totals.bridgeFeeBasis.plus(basis ?? ZERO)
  noteFee(posting, price && fee.times(price))
}
