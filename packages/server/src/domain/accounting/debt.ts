import { type Decimal, ZERO } from '../decimal.ts'
import { least, shareOut, sumKnown } from './apportion.ts'
import { basisIn, findPool, forgetBasis, type OpenPool, putIn, settleShort, takeOut, totalsOf } from './books.ts'
import { basisOf, scaled } from './lots.ts'
import { receive, send, shrink } from './outside.ts'
import {
  type Item,
  newLot,
  noteCost,
  noteDisposal,
  type Posting,
  poolOf,
  positionName,
  soldOf,
  takeUnits,
} from './posting.ts'
import type { PoolId } from './state.ts'
import { worthOf } from './swap.ts'

/**
 * The asset comes in at its price, and the debt takes the same for its basis: nothing is gained yet. Where no token stands for
 * the debt, it is kept by the asset that was borrowed. `named`: the position that owes, if the leg has its key.
 */
export function borrow(
  posting: Posting,
  assets: readonly Item[],
  debts: readonly Item[],
  named: Item | undefined,
): void {
  const { books, entry } = posting
  const received = assets.filter((item) => item.incoming)
  const owed = debts.filter((item) => item.incoming)
  const total = received.length > 0 ? (worthOf(received) ?? worthOf(owed)) : worthOf(owed)
  const totals = totalsOf(books, entry.wallet)
  enter(posting, received, total).forEach((cost, index) => {
    const item = received[index]
    totals.borrowed = totals.borrowed.plus(cost ?? ZERO)
    if (item && owed.length === 0)
      putIn(books, debtOf(posting, item, named), [newLot(posting, item.units, cost)], entry.protocol)
  })
  enter(posting, owed, total, entry.protocol)
  for (const item of assets) if (!item.incoming) send(posting, item)
  for (const item of debts) if (!item.incoming) payOff(posting, item)
}

/**
 * Repayment reduces the debt and its basis, which is what was received for it. The assets given count as sold for that
 * amount, which realises the profit of a short and the cost of interest.
 */
export function repay(
  posting: Posting,
  assets: readonly Item[],
  debts: readonly Item[],
  named: Item | undefined,
): void {
  const totals = totalsOf(posting.books, posting.entry.wallet)
  const given = assets.filter((item) => !item.incoming)
  if (named && given.length + debts.length === 0) {
    liquidate(posting, named, assets)
    return
  }
  for (const item of assets) if (item.incoming) receive(posting, item)
  const told = debts.map((item) => changeDebt(posting, item))
  const relief = sumKnown(debts.length > 0 ? told : given.map((item) => payOffUntold(posting, item, named)))
  const shares = relief ? shareOut(relief, given) : []
  given.forEach((item, index) => {
    const share = shares[index] ?? null
    noteDisposal(posting, item, soldOf(item, takeUnits(posting, item)), share)
    totals.repaidBasis = totals.repaidBasis.plus(share ?? ZERO)
  })
}

/** A debt by itself: interest adds to it at no basis, any other growth at its own worth. Returns the basis that was paid off. */
export function changeDebt(posting: Posting, item: Item): Decimal | null {
  const interest = item.movement.treatment === 'interest'
  if (!item.incoming && !interest) return payOff(posting, item)
  if (item.incoming && interest) owe(posting, item)
  else if (item.incoming) enter(posting, [item], item.worth, posting.entry.protocol)
  else shrink(posting, item)
  return ZERO
}

function owe(posting: Posting, item: Item): void {
  const id = poolOf(posting, item)
  const units = settleShort(posting.books, id, item.units)
  if (units.gt(ZERO)) putIn(posting.books, id, [newLot(posting, units, ZERO)])
}

function payOff(posting: Posting, item: Item): Decimal | null {
  const basis = basisOf(takeUnits(posting, item))
  noteCost(posting, item, basis)
  return basis
}

/**
 * Pays a debt without a debt token in its own asset, which reduces its basis too; what is paid beyond it was interest. At a
 * position with a key it pays what else is owed there first: a debt in shares of a pool is paid in the pool's assets as they
 * are then. Null: another asset was paid elsewhere, so the part of the debt that it paid off is unknown.
 */
function payOffUntold(posting: Posting, item: Item, named: Item | undefined): Decimal | null {
  const { books } = posting
  const id = debtOf(posting, item, named)
  const pool = findPool(books, id)
  const own = pool ? least(item.units, pool.quantity) : ZERO
  const relief = pool ? basisOf(takeOut(books, pool, own).lots) : ZERO
  const { price } = item.movement
  const others = id.position === null ? [] : poolsIn(posting, id.position).filter(({ debt }) => debt)
  if (named && price && others.length > 0) {
    return sumKnown([relief, ...payOffOthers(posting, others, item.units.minus(own).times(price))])
  }
  if (pool) return relief
  others.forEach(forgetBasis)
  return null
}

/**
 * Pays debts by worth, one after the other: at their price if the transaction has one, else at what was received for them.
 * Returns the basis that was paid off of each.
 */
function payOffOthers({ books, entry }: Posting, others: readonly OpenPool[], worth: Decimal): (Decimal | null)[] {
  let left = worth
  return others.map((pool) => {
    if (left.eq(ZERO)) return ZERO
    const price = entry.movements.find(({ token, tokenId }) => token === pool.token && tokenId === null)?.price
    const whole = price ? pool.quantity.times(price) : basisOf(pool.lots)
    if (whole === null) return null
    const part = least(left, whole)
    left = left.minus(part)
    return basisOf(takeOut(books, pool, scaled(pool.quantity, part, whole)).lots)
  })
}

function debtOf(posting: Posting, item: Item, named: Item | undefined): PoolId {
  return { ...poolOf(posting, item), debt: true, position: positionName(posting, item, named) }
}

/**
 * A position that was taken whole for its debts. What lay in it counts as sold for them and for what was credited to the
 * wallet; the result is noted at the movement that names the position.
 */
function liquidate(posting: Posting, named: Item, credited: readonly Item[]): void {
  const { books, entry } = posting
  const pools = poolsIn(posting, positionName(posting, named, named))
  const debts = pools.filter((pool) => pool.debt)
  const relief = debts.length > 0 ? basisIn(debts) : null
  const sold = pools.flatMap((pool) => {
    const { token, tokenId, debt, quantity } = pool
    const { lots } = takeOut(books, pool, quantity)
    return debt ? [] : [{ token, tokenId, lots }]
  })
  const worth = worthOf(credited)
  enter(posting, credited, worth)
  const totals = totalsOf(books, entry.wallet)
  totals.repaidBasis = totals.repaidBasis.plus(relief ?? ZERO)
  noteDisposal(posting, named, sold, relief && worth && relief.plus(worth))
}

function poolsIn({ books, entry }: Posting, position: string): OpenPool[] {
  return [...books.pools.values()]
    .filter((pool) => pool.wallet === entry.wallet && pool.chain === entry.chain && pool.position === position)
    .flatMap((pool) => findPool(books, pool) ?? [])
}

function enter(
  posting: Posting,
  items: readonly Item[],
  total: Decimal | null,
  protocol: string | null = null,
): (Decimal | null)[] {
  const costs = shareOut(total, items)
  items.forEach((item, index) => {
    const cost = costs[index] ?? null
    putIn(posting.books, poolOf(posting, item), [newLot(posting, item.units, cost)], protocol)
    noteCost(posting, item, cost)
  })
  return costs
}
