import type { Decimal } from '../decimal.ts'
import { type Sized, shareOut, sumKnown } from './apportion.ts'
import { type Item, newLot, noteCost, noteDisposal, type Posting, poolOf, soldOf, takeUnits } from './posting.ts'
import { putIn } from './working-state.ts'

/** Sells at the worth received if all has a price, else at the worth given. Proceeds are the new cost. */
export function swap(posting: Posting, given: readonly Item[], received: readonly Item[]): void {
  const proceeds = worthOf(received) ?? worthOf(given)
  const shares = shareOut(proceeds, given)
  given.forEach((item, index) => {
    noteDisposal(posting, item, soldOf(item, takeUnits(posting, item)), shares[index] ?? null)
  })
  enter(posting, received, proceeds)
}

/** Returns the costs. */
export function enter(
  posting: Posting,
  items: readonly Item[],
  total: Decimal | null,
  protocol: string | null = null,
): (Decimal | null)[] {
  const costs = shareOut(total, items)
  items.forEach((item, index) => {
    const cost = costs[index] ?? null
    putIn(posting.working, poolOf(posting, item), [newLot(posting, item.units, cost)], protocol)
    noteCost(posting, item, cost)
  })
  return costs
}

export function worthOf(sides: readonly Sized[]) {
  return sumKnown(sides.map((side) => side.worth))
}
