import { type Sized, shareOut, sumKnown } from './apportion.ts'
import { newLot, putIn } from './books.ts'
import { basisOf } from './lots.ts'
import { type Item, noteCost, noteDisposal, type Posting, poolOf, takeUnits } from './posting.ts'

/**
 * What is given is sold for what is received. The proceeds are the worth of what is received if all of it has a price, else of
 * what is given; the difference to the cost is realised, and what is received has cost the proceeds.
 */
export function swap(posting: Posting, given: readonly Item[], received: readonly Item[]): void {
  const { books } = posting
  const proceeds = worthOf(received) ?? worthOf(given)
  const shares = shareOut(proceeds, given)
  given.forEach((item, index) => {
    const cost = basisOf(takeUnits(posting, item))
    noteDisposal(posting, item, cost, shares[index] ?? null)
  })
  const costs = shareOut(proceeds, received)
  received.forEach((item, index) => {
    const cost = costs[index] ?? null
    putIn(books, poolOf(posting, item), [newLot(books, item.units, cost)])
    noteCost(posting, item, cost)
  })
}

/** Null when one side has no price. */
export function worthOf(sides: readonly Sized[]) {
  return sumKnown(sides.map((side) => side.worth))
}
