import { type Decimal, ZERO } from '../decimal.ts'
import { least, shareOut, sumKnown } from './apportion.ts'
import { basisOf, scaled } from './lots.ts'
import { receive, send, shrink } from './outside.ts'
import {
  type Item,
  newLot,
  noteCost,
  noteDisposal,
  type Posting,
  poolOf,
  poolsOf,
  positionName,
  soldOf,
  takeUnits,
} from './posting.ts'
import type { PoolId } from './state.ts'
import { enter, worthOf } from './swap.ts'
import { addTo, basisIn, findPool, forgetBasis, type OpenPool, putIn, settleShort, takeOut } from './working-state.ts'

/** Asset and debt enter at the same basis. Without a debt token the asset names the debt. `named`: the position. */
export function borrow(
  posting: Posting,
  assets: readonly Item[],
  debts: readonly Item[],
  named: Item | undefined,
): void {
  const { working, entry } = posting
  const received = assets.filter((item) => item.incoming)
  const owed = debts.filter((item) => item.incoming)
  const total = received.length > 0 ? (worthOf(received) ?? worthOf(owed)) : worthOf(owed)
  enter(posting, received, total).forEach((cost, index) => {
    const item = received[index]
    addTo(working, entry.wallet, 'borrowed', cost)
    if (item && owed.length === 0)
      putIn(working, debtOf(posting, item, named), [newLot(posting, item.units, cost)], entry.protocol)
  })
  enter(posting, owed, total, entry.protocol)
  for (const item of assets) if (!item.incoming) send(posting, item)
  for (const item of debts) if (!item.incoming) payOff(posting, item)
}

/** Sells the given assets for the debt's basis, which realises a short's profit and the cost of interest. */
export function repay(
  posting: Posting,
  assets: readonly Item[],
  debts: readonly Item[],
  named: Item | undefined,
): void {
  const { working, entry } = posting
  const given = assets.filter((item) => !item.incoming)
  if (named && given.length + debts.length === 0) {
    liquidate(posting, named, assets)
    return
  }
  for (const item of assets) if (item.incoming) receive(posting, item)
  const reported = debts.map((item) => changeDebt(posting, item))
  const relief = sumKnown(debts.length > 0 ? reported : given.map((item) => payOffUntold(posting, item, named)))
  const shares = relief ? shareOut(relief, given) : []
  given.forEach((item, index) => {
    const share = shares[index] ?? null
    noteDisposal(posting, item, soldOf(item, takeUnits(posting, item)), share)
    addTo(working, entry.wallet, 'repaidBasis', share)
  })
}

/** Adds interest at no basis, other growth at its worth. Returns the basis paid off. */
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
  const units = settleShort(posting.working, id, item.units)
  if (units.gt(ZERO)) putIn(posting.working, id, [newLot(posting, units, ZERO)])
}

function payOff(posting: Posting, item: Item): Decimal | null {
  const basis = basisOf(takeUnits(posting, item))
  noteCost(posting, item, basis)
  return basis
}

/** Pays the debt in its own asset, then other debts of the named position; the rest was interest. Null: elsewhere. */
function payOffUntold(posting: Posting, item: Item, named: Item | undefined): Decimal | null {
  const { working } = posting
  const id = debtOf(posting, item, named)
  const pool = findPool(working, id)
  const own = pool ? least(item.units, pool.quantity) : ZERO
  const relief = pool ? basisOf(takeOut(working, pool, own).lots) : ZERO
  const { price } = item.movement
  const others = id.position === null ? [] : poolsIn(posting, id.position).filter(({ debt }) => debt)
  if (named && price && others.length > 0) {
    return sumKnown([relief, ...payOffOthers(posting, others, item.units.minus(own).times(price))])
  }
  if (pool) return relief
  others.forEach(forgetBasis)
  return null
}

/** Pays at the transaction's price, else at the amount received. */
function payOffOthers({ working, entry }: Posting, others: readonly OpenPool[], worth: Decimal): (Decimal | null)[] {
  let left = worth
  return others.map((pool) => {
    if (left.eq(ZERO)) return ZERO
    const price = entry.movements.find(({ token, tokenId }) => token === pool.token && tokenId === null)?.price
    const whole = price ? pool.quantity.times(price) : basisOf(pool.lots)
    if (whole === null) return null
    const part = least(left, whole)
    left = left.minus(part)
    return basisOf(takeOut(working, pool, scaled(pool.quantity, part, whole)).lots)
  })
}

function debtOf(posting: Posting, item: Item, named: Item | undefined): PoolId {
  return { ...poolOf(posting, item), debt: true, position: positionName(posting, item, named) }
}

function liquidate(posting: Posting, named: Item, credited: readonly Item[]): void {
  const { working, entry } = posting
  const pools = poolsIn(posting, positionName(posting, named, named))
  const debts = pools.filter((pool) => pool.debt)
  const relief = debts.length > 0 ? basisIn(debts) : null
  const sold = pools.flatMap((pool) => {
    const { token, tokenId, debt, quantity } = pool
    const { lots } = takeOut(working, pool, quantity)
    return debt ? [] : [{ token, tokenId, lots }]
  })
  const worth = worthOf(credited)
  enter(posting, credited, worth)
  addTo(working, entry.wallet, 'repaidBasis', relief)
  noteDisposal(posting, named, sold, relief && worth && relief.plus(worth))
}

const poolsIn = (posting: Posting, position: string) => poolsOf(posting, (pool) => pool.position === position)
