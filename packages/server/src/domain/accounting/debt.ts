import { ZERO } from '../decimal.ts'
import { shareOut } from './apportion.ts'
import { newLot, putIn, takeOut, totalsOf } from './books.ts'
import { basisOf } from './lots.ts'
import { receive, send, shrink } from './outside.ts'
import { type Item, noteCost, type Posting, poolOf } from './posting.ts'
import { worthOf } from './swap.ts'

/** The asset comes in at its price, and the debt takes the same for its basis: nothing is gained yet. */
export function borrow(posting: Posting, assets: readonly Item[], debts: readonly Item[]): void {
  const { books, entry } = posting
  const received = assets.filter((item) => item.incoming)
  const owed = debts.filter((item) => item.incoming)
  const total = received.length > 0 ? (worthOf(received) ?? worthOf(owed)) : worthOf(owed)
  const totals = totalsOf(books, entry.wallet)
  for (const cost of enter(posting, received, total)) totals.borrowed = totals.borrowed.plus(cost ?? ZERO)
  enter(posting, owed, total)
  for (const item of assets) if (!item.incoming) send(posting, item)
  for (const item of debts) if (!item.incoming) payOff(posting, item)
}

/** What is given leaves with its basis and realises nothing; the debt's basis falls with the debt. */
export function repay(posting: Posting, assets: readonly Item[], debts: readonly Item[]): void {
  const { books, entry } = posting
  const totals = totalsOf(books, entry.wallet)
  for (const item of assets) {
    if (item.incoming) {
      receive(posting, item)
      continue
    }
    const basis = basisOf(takeOut(books, poolOf(posting, item), item.units))
    totals.repaidBasis = totals.repaidBasis.plus(basis ?? ZERO)
    noteCost(posting, item, basis)
  }
  for (const item of debts) changeDebt(posting, item)
}

/** A debt by itself: interest adds to it at no basis, any other growth at its own worth. */
export function changeDebt(posting: Posting, item: Item): void {
  const interest = item.movement.treatment === 'interest'
  if (item.incoming) enter(posting, [item], interest ? ZERO : item.worth)
  else if (interest) shrink(posting, item)
  else payOff(posting, item)
}

function payOff(posting: Posting, item: Item): void {
  noteCost(posting, item, basisOf(takeOut(posting.books, poolOf(posting, item), item.units)))
}

function enter(posting: Posting, items: readonly Item[], total: ReturnType<typeof worthOf>) {
  const costs = shareOut(total, items)
  items.forEach((item, index) => {
    const cost = costs[index] ?? null
    putIn(posting.books, poolOf(posting, item), [newLot(posting.books, item.units, cost)])
    noteCost(posting, item, cost)
  })
  return costs
}
