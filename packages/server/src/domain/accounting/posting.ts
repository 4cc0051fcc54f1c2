import { type Decimal, ZERO } from '../decimal.ts'
import { sumKnown } from './apportion.ts'
import type { Entry, EntryMovement } from './entry.ts'
import type { Handovers } from './handover.ts'
import { basisOf } from './lots.ts'
import type { EntryResult, MovementResult, Sold } from './result.ts'
import { assetKey, keyedPosition, type Lot, type Pool, type PoolId } from './state.ts'
import {
  addLot,
  addTo,
  findPool,
  flag,
  type OpenPool,
  poolsOfWallet,
  takeOut,
  totalsOf,
  type WorkingState,
} from './working-state.ts'

export type Item = { index: number; movement: EntryMovement; incoming: boolean; units: Decimal; worth: Decimal | null }

export type Posting = { working: WorkingState; entry: Entry; handovers: Handovers; result: EntryResult }

export function startPosting(working: WorkingState, entry: Entry, handovers: Handovers): Posting {
  const movements = entry.movements.map((): MovementResult => ({ costBasis: ZERO, closedPnl: ZERO }))
  const sums = { closedPnl: ZERO, feesUsd: ZERO, income: ZERO, expense: ZERO }
  return { working, entry, handovers, result: { movements, ...sums, disposals: [], earnings: [] } }
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

export function poolsOf({ working, entry }: Posting, isWanted: (pool: Pool) => boolean): OpenPool[] {
  return [...poolsOfWallet(working, entry.wallet).values()]
    .filter((pool) => pool.chain === entry.chain && isWanted(pool))
    .flatMap((pool) => findPool(working, pool) ?? [])
}

export function positionName({ entry }: Posting, { movement }: Item, named?: Item): string {
  if (named) return keyedPosition(named.movement.token, named.movement.tokenId)
  return entry.protocol ?? movement.counterparty ?? 'unnamed'
}

export function newLot({ working, entry }: Posting, quantity: Decimal, basis: Decimal | null): Lot {
  const { time, chain, transaction } = entry
  return addLot(working, { quantity, basis, acquired: { time, chain, transaction } })
}

export const unseenLot = ({ working }: Posting, quantity: Decimal): Lot =>
  addLot(working, { quantity, basis: null, acquired: null })

/** Missing units of a debt or rebasing token are interest; others flag the pool. */
export function takeUnits(posting: Posting, item: Item, units: Decimal = item.units): Lot[] {
  const { working } = posting
  const id = poolOf(posting, item)
  const { lots, missing } = takeOut(working, id, units)
  if (missing.eq(ZERO)) return lots
  if (id.debt) return [...lots, newLot(posting, missing, ZERO)]
  if (item.movement.rebasing) return [...lots, earnedLot(posting, item, missing)]
  flag(working, id)
  return [...lots, unseenLot(posting, missing)]
}

export function earnedLot(posting: Posting, { index, movement }: Item, units: Decimal): Lot {
  const worth = movement.price && units.times(movement.price)
  posting.result.earnings.push({ movement: index, units, worth })
  addTo(posting.working, posting.entry.wallet, 'income', worth)
  posting.result.income = posting.result.income.plus(worth ?? ZERO)
  return newLot(posting, units, worth ?? ZERO)
}

export function noteCost(posting: Posting, item: Item, costBasis: Decimal | null): void {
  const noted = posting.result.movements[item.index]
  if (noted) noted.costBasis = costBasis
}

export const soldOf = ({ movement: { token, tokenId } }: Item, lots: readonly Lot[]): Sold[] => [
  { token, tokenId, lots },
]

export function noteDisposal(posting: Posting, item: Item, sold: readonly Sold[], proceeds: Decimal | null): void {
  const totals = totalsOf(posting.working, posting.entry.wallet)
  const costBasis = basisOf(sold.flatMap(({ lots }) => lots))
  const closedPnl = costBasis && proceeds ? proceeds.minus(costBasis) : null
  posting.result.movements[item.index] = { costBasis, closedPnl }
  posting.result.disposals.push({ movement: item.index, sold, costBasis, proceeds })
  if (closedPnl) {
    totals.closedPnl = totals.closedPnl.plus(closedPnl)
    totals.disposals += 1
    return
  }
  const key = assetKey(poolOf(posting, item))
  totals.unknownDisposals[key] = (totals.unknownDisposals[key] ?? 0) + 1
}

export function noteFee(posting: Posting, value: Decimal | null): void {
  const { working, entry, result } = posting
  result.feesUsd = sumKnown([result.feesUsd, value])
  if (value === null) {
    totalsOf(working, entry.wallet).unpricedFees += 1
    return
  }
  addTo(working, entry.wallet, 'feesUsd', value)
  noteExpense(posting, value)
}

export function noteExpense({ working, entry, result }: Posting, value: Decimal): void {
  addTo(working, entry.wallet, 'expense', value)
  result.expense = result.expense.plus(value)
}
