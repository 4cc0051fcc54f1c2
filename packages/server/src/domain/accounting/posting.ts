import { type Decimal, ZERO } from '../decimal.ts'
import { sumKnown } from './apportion.ts'
import { type Books, flag, newLot, takeOut, totalsOf } from './books.ts'
import type { Entry, EntryMovement } from './entry.ts'
import type { Handovers } from './handover.ts'
import type { EntryResult, MovementResult } from './result.ts'
import { assetKey, keyedPosition, type Lot, type PoolId } from './state.ts'

/** A movement by size: positive units, what they are worth, and its place in the entry. */
export type Item = { index: number; movement: EntryMovement; incoming: boolean; units: Decimal; worth: Decimal | null }

/** An entry on its way into the books, with what the wallets of its transaction hand each other. */
export type Posting = { books: Books; entry: Entry; handovers: Handovers; result: EntryResult }

export function startPosting(books: Books, entry: Entry, handovers: Handovers): Posting {
  const movements = entry.movements.map((): MovementResult => ({ costBasis: ZERO, closedPnl: ZERO }))
  return { books, entry, handovers, result: { movements, closedPnl: ZERO, feesUsd: ZERO, income: ZERO, expense: ZERO } }
}

export function itemOf(movement: EntryMovement, index: number): Item {
  const units = movement.quantity.abs()
  return {
    index,
    movement,
    incoming: movement.quantity.gt(ZERO),
    units,
    worth: movement.price && units.times(movement.price),
  }
}

/** The pool in the wallet that a movement is about. */
export function poolOf({ entry }: Posting, { movement }: Item): PoolId {
  return {
    wallet: entry.wallet,
    chain: entry.chain,
    token: movement.token,
    tokenId: movement.tokenId,
    debt: movement.debt,
    position: null,
  }
}

/** Name of a position without a token: its key if the leg has it, else the protocol or the contract on the other side. */
export function positionName({ entry }: Posting, { movement }: Item, named?: Item): string {
  if (named) return keyedPosition(named.movement.token, named.movement.tokenId)
  return entry.protocol ?? movement.counterparty ?? 'unnamed'
}

/**
 * Takes units out of the pool of a movement. Missing units of a debt or a rebasing token are interest not booked yet;
 * otherwise their basis is unknown, and the pool is flagged.
 */
export function takeUnits(posting: Posting, item: Item, units: Decimal = item.units): Lot[] {
  const { books } = posting
  const id = poolOf(posting, item)
  const { lots, missing } = takeOut(books, id, units)
  if (missing.eq(ZERO)) return lots
  if (id.debt) return [...lots, newLot(books, missing, ZERO)]
  if (item.movement.rebasing) return [...lots, earnedLot(posting, missing, item.movement.price)]
  flag(books, id)
  return [...lots, newLot(books, missing, null)]
}

/** A lot of income, at the price of the time; without one it counts for nothing. */
export function earnedLot(posting: Posting, units: Decimal, price: Decimal | null): Lot {
  const worth = price ? units.times(price) : ZERO
  noteIncome(posting, worth)
  return newLot(posting.books, units, worth)
}

/** Notes what units cost that came or went. */
export function noteCost(posting: Posting, item: Item, costBasis: Decimal | null): void {
  const noted = posting.result.movements[item.index]
  if (noted) noted.costBasis = costBasis
}

/** Notes a disposal and what it realised; null = unknown. */
export function noteDisposal(posting: Posting, item: Item, costBasis: Decimal | null, proceeds: Decimal | null): void {
  const totals = totalsOf(posting.books, posting.entry.wallet)
  const closedPnl = costBasis && proceeds ? proceeds.minus(costBasis) : null
  posting.result.movements[item.index] = { costBasis, closedPnl }
  if (closedPnl) {
    totals.closedPnl = totals.closedPnl.plus(closedPnl)
    totals.disposals += 1
    return
  }
  const key = assetKey(poolOf(posting, item))
  totals.unknownDisposals[key] = (totals.unknownDisposals[key] ?? 0) + 1
}

/** Records a fee, which is an expense of the day. Null: unpriced. */
export function noteFee(posting: Posting, value: Decimal | null): void {
  const totals = totalsOf(posting.books, posting.entry.wallet)
  posting.result.feesUsd = sumKnown([posting.result.feesUsd, value])
  if (value === null) {
    totals.unpricedFees += 1
    return
  }
  totals.feesUsd = totals.feesUsd.plus(value)
  noteExpense(posting, value)
}

export function noteExpense(posting: Posting, value: Decimal): void {
  const totals = totalsOf(posting.books, posting.entry.wallet)
  totals.expense = totals.expense.plus(value)
  posting.result.expense = posting.result.expense.plus(value)
}

function noteIncome(posting: Posting, value: Decimal): void {
  const totals = totalsOf(posting.books, posting.entry.wallet)
  totals.income = totals.income.plus(value)
  posting.result.income = posting.result.income.plus(value)
}
