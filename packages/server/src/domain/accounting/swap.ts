import { type Sized, shareOut, sumKnown } from './apportion.ts'
import { putIn } from './books.ts'
import { type Item, newLot, noteCost, noteDisposal, type Posting, poolOf, soldOf, takeUnits } from './posting.ts'

/** Sells at the worth received if all has a price, else at the worth given. Proceeds are the new cost. */
export function swap(posting: Posting, given: readonly Item[], received: readonly Item[]): void {
  const { books } = posting
  const proceeds = worthOf(received) ?? worthOf(given)
  const shares = shareOut(proceeds, given)
  given.forEach((item, index) => {
    noteDisposal(posting, item, soldOf(item, takeUnits(posting, item)), shares[index] ?? null)
  })
  const costs = shareOut(proceeds, received)
  received.forEach((item, index) => {
    const cost = costs[index] ?? null
    putIn(books, poolOf(posting, item), [newLot(posting, item.units, cost)])
    noteCost(posting, item, cost)
  })
}

export function worthOf(sides: readonly Sized[]) {
  return sumKnown(sides.map((side) => side.worth))
}
