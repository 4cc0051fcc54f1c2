import { type Decimal, sum, ZERO } from '../decimal.ts'
import { apportion, least } from './apportion.ts'
import { handoverOf } from './handover.ts'
import { basisOf, putLots, resizeLot, takeLots } from './lots.ts'
import {
  earnedLot,
  type Item,
  newLot,
  noteCost,
  noteDisposal,
  noteExpense,
  noteFee,
  type Posting,
  poolOf,
  soldOf,
  takeUnits,
  unseenLot,
} from './posting.ts'
import type { Lot } from './state.ts'
import { addTo, findPool, flag, putIn, settleShort, takeOut, totalsOf } from './working-state.ts'

/** Outside units cost their price. */
export function receive(posting: Posting, item: Item): void {
  const { working, entry, handovers } = posting
  const handover = handoverOf(handovers, entry, item.movement)
  const handed = handover ? takeLots(handover.lots, item.units) : []
  const outside = item.units.minus(quantityOf(handed))
  const lots = [...handed]
  if (outside.gt(ZERO)) {
    const cost = item.movement.price && outside.times(item.movement.price)
    lots.push(newLot(posting, outside, cost))
    addTo(working, entry.wallet, 'acquired', cost)
  }
  putIn(working, poolOf(posting, item), lots, handover?.protocol ?? null)
  noteCost(posting, item, basisOf(lots))
}

/** Realises nothing: lots move to another wallet, or their basis leaves. */
export function send(posting: Posting, item: Item): void {
  const { working, entry, handovers } = posting
  const id = poolOf(posting, item)
  const handover = handoverOf(handovers, entry, item.movement)
  let handed: Lot[] = []
  if (handover) {
    const units = least(item.units, handover.due)
    handover.protocol = findPool(working, id)?.protocol ?? null
    handed = takeUnits(posting, item, units)
    handover.due = handover.due.minus(units)
    handover.pending -= 1
    putLots(handover.lots, handed, working.method)
  }
  const outside = item.units.minus(quantityOf(handed))
  const left = outside.gt(ZERO) ? takeUnits(posting, item, outside) : []
  noteCost(posting, item, basisOf([...handed, ...left]))
  if (outside.gt(ZERO)) noteSent(posting, left, item.movement.price && outside.times(item.movement.price))
}

export function sellUnpaid(posting: Posting, item: Item): void {
  if (handoverOf(posting.handovers, posting.entry, item.movement)) send(posting, item)
  else noteDisposal(posting, item, soldOf(item, takeUnits(posting, item)), null)
}

/** Books income, except units that left before it was recorded. */
export function accrue(posting: Posting, item: Item): void {
  earn(posting, item, settleShort(posting.working, poolOf(posting, item), item.units))
}

export function earn(posting: Posting, item: Item, units = item.units): void {
  if (units.eq(ZERO)) return
  const lot = earnedLot(posting, item, units)
  putIn(posting.working, poolOf(posting, item), [lot])
  noteCost(posting, item, lot.basis)
}

export function shrink(posting: Posting, item: Item): void {
  const { working } = posting
  const id = poolOf(posting, item)
  const pool = findPool(working, id)
  if (!pool || pool.quantity.lte(item.units)) {
    const lots = takeUnits(posting, item)
    if (id.debt) noteCost(posting, item, basisOf(lots))
    else noteDisposal(posting, item, soldOf(item, lots), ZERO)
    return
  }
  const before = pool.lots
  pool.quantity = pool.quantity.minus(item.units)
  const quantities = apportion(
    pool.quantity,
    before.map((lot) => lot.quantity),
  )
  pool.lots = before.map((lot, index) => resizeLot(lot, quantities[index] ?? ZERO))
}

export function receiveSpam(posting: Posting, item: Item): void {
  putIn(posting.working, poolOf(posting, item), [newLot(posting, item.units, ZERO)])
}

export function dropSpam(posting: Posting, item: Item): void {
  const { working, entry } = posting
  const pool = findPool(working, poolOf(posting, item))
  if (!pool) return
  const { lots } = takeOut(working, pool, least(item.units, pool.quantity))
  addTo(working, entry.wallet, 'sentBasis', basisOf(lots))
  noteCost(posting, item, basisOf(lots))
}

/** Adjusts to the chain's balance: extra units at unknown cost, missing ones with their basis. */
export function adjust(posting: Posting, item: Item): void {
  const { working } = posting
  const id = poolOf(posting, item)
  const short = findPool(working, id)?.short ?? ZERO
  settleShort(working, id, short)
  const more = item.movement.quantity.minus(short)
  if (more.gt(ZERO)) putIn(working, id, [unseenLot(posting, more)])
  const basis = more.lt(ZERO) ? basisOf(takeUnits(posting, item, more.abs())) : ZERO
  addTo(working, id.wallet, 'sentBasis', basis)
  noteCost(posting, item, item.incoming ? null : basis)
  // Last: a pool loses its flag when it is empty in between.
  if (findPool(working, id)) flag(working, id)
}

export function payGas(posting: Posting, item: Item): void {
  const { working, entry } = posting
  const basis = basisOf(takeUnits(posting, item))
  const { feesRaw } = totalsOf(working, entry.wallet)
  const paidRaw = item.movement.gasInToken ? 0n : -item.movement.amountRaw
  feesRaw[entry.chain] = (feesRaw[entry.chain] ?? 0n) + paidRaw
  addTo(working, entry.wallet, 'gasBasis', basis)
  noteCost(posting, item, basis)
  noteFee(posting, item.worth)
}

function noteSent(posting: Posting, lots: readonly Lot[], worth: Decimal | null): void {
  const { working, entry } = posting
  addTo(working, entry.wallet, 'sentBasis', basisOf(lots))
  addTo(working, entry.wallet, 'sentExternal', worth)
  if (entry.type === 'EXPENSE') noteExpense(posting, worth ?? ZERO)
}

const quantityOf = (lots: readonly Lot[]) => sum(lots.map((lot) => lot.quantity))
