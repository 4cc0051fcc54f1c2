import { type Sized, shareOut, sumKnown } from './apportion.ts'
import { putIn } from './books.ts'
import { type Item, newLot, noteCost, noteDisposal, type Posting, poolOf, soldOf, takeUnits } from './posting.ts'

/**
 * What is given is sold for what is received. The proceeds are the worth of what is received if all of it has a price, else of
 * what is given; the difference to the cost is realised, and what is received has cost the proceeds.
 */
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

/** Null when one side has no price. */
export function worthOf(sides: readonly Sized[]) {
  return sumKnown(sides.map((side) => side.worth))
}
