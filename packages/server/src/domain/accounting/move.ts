import { type Decimal, decimal, ONE, proportion, sum, ZERO } from '../decimal.ts'
import type { TransactionType } from '../transaction.ts'
import { apportion, least, shareOut, sumKnown } from './apportion.ts'
import { splitBacking, standingFor, standsFor } from './backing.ts'
import { basisOf, scaled } from './lots.ts'
import { earnedLot, type Item, noteCost, type Posting, poolOf, takeUnits } from './posting.ts'
import type { Backing, Lot } from './state.ts'
import { worthOf } from './swap.ts'
import { putIn } from './working-state.ts'

export type Moving = { lot: Lot; weight: Decimal; principal: Backing['principal'] }

/** A smaller surplus is rounding, not income. */
const ROUNDING = decimal('1e-30')

/** Assets that come back are no receipts, except an NFT. */
const TAKING_OUT: ReadonlySet<TransactionType | null> = new Set([
  'CLAIM',
  'CLOSEVAULT',
  'COLLECT',
  'REMOVELIQUIDITY',
  'REPAYVAULT',
  'UNSTAKE',
  'UNWRAP',
  'WITHDRAW',
])

export function takeGiven(posting: Posting, given: readonly Item[]): Moving[] {
  const weigh = weigher(given)
  return given.flatMap((item) => {
    const lots = takeUnits(posting, item)
    noteCost(posting, item, basisOf(lots))
    return lots.map((lot) => ({
      lot,
      weight: weigh(item, lot),
      principal: { [item.movement.identity]: { quantity: lot.quantity, backing: lot.backing } },
    }))
  })
}

/** Moves the whole basis; realises nothing. */
export function putReceived(posting: Posting, moving: readonly Moving[], received: readonly Item[]): void {
  const [only, ...others] = received
  if (!only) return
  if (others.length > 0) putSeveral(posting, moving, received)
  else if (moving.some((part) => standing(part, only.movement.identity))) takeBack(posting, moving, only)
  else putOne(posting, moving, only)
}

/** Weighs by worth if all have a price, otherwise each asset equally. */
function weigher(given: readonly Item[]): (item: Item, lot: Lot) => Decimal {
  if (given.length === 1) return (_item, lot) => lot.quantity
  const priced = worthOf(given) !== null
  return (item, lot) =>
    priced && item.movement.price ? lot.quantity.times(item.movement.price) : proportion(ONE, lot.quantity, item.units)
}

function putOne(posting: Posting, moving: readonly Moving[], item: Item): void {
  const quantities = apportion(item.units, weightsOf(moving))
  const remembers = isReceipt(posting, moving, item)
  const lots = moving.map(({ lot, principal }, index) => {
    const units = quantities[index] ?? ZERO
    return { ...lot, quantity: units, backing: remembers ? { units, principal } : null }
  })
  putIn(posting.working, poolOf(posting, item), lots, remembers ? posting.entry.protocol : null)
  noteCost(posting, item, basisOf(lots))
}

function putSeveral(posting: Posting, moving: readonly Moving[], received: readonly Item[]): void {
  const total = sumKnown(moving.map(({ lot }) => lot.basis))
  const costs = total === null ? [] : shareOut(total, received)
  const shares = worthOf(received) === null ? null : received.map((item) => item.worth ?? ZERO)
  received.forEach((item, place) => {
    const cost = costs[place] ?? null
    const bases =
      cost &&
      apportion(
        cost,
        moving.map(({ lot }) => lot.basis ?? ZERO),
      )
    const quantities = apportion(item.units, weightsOf(moving))
    const remembers = isReceipt(posting, moving, item)
    const lots = moving.map(({ lot, principal }, index) => {
      const units = quantities[index] ?? ZERO
      const backing = shares && remembers ? shareOf({ units, principal }, shares, place) : null
      return { ...lot, quantity: units, basis: bases?.[index] ?? null, backing }
    })
    putIn(posting.working, poolOf(posting, item), lots, remembers ? posting.entry.protocol : null)
    noteCost(posting, item, cost)
  })
}

function shareOf(backing: Backing, shares: readonly Decimal[], place: number): Backing | null {
  const whole = sum(shares)
  const share = whole.eq(ZERO) ? null : splitBacking(backing, shares[place] ?? ZERO, whole)[0]
  return share && { ...share, units: backing.units }
}

/** Surplus over the principal was earned, fewer units carry the whole basis. Other units take their share. */
function takeBack(posting: Posting, moving: readonly Moving[], item: Item): void {
  const { identity } = item.movement
  const shares = apportion(item.units, weightsOf(moving))
  const returns = moving.map((part, index) => {
    const { lot } = part
    const share = shares[index] ?? ZERO
    const found = standing(part, identity)
    if (!found) return { lot, due: share, backing: null }
    const own = share.minus(scaled(share, found.units, lot.quantity))
    return { lot, due: found.quantity.plus(own), backing: found.backing }
  })
  const due = sum(returns.map((part) => part.due))
  const surplus = item.units.minus(due)
  const earned = surplus.gt(ROUNDING) ? surplus : ZERO
  const quantities = apportion(
    item.units.minus(earned),
    returns.map((part) => part.due),
  )
  const lots = returns.map(({ lot, due, backing }, index) => {
    const quantity = quantities[index] ?? ZERO
    return { ...lot, quantity, backing: within(backing, quantity, due) }
  })
  if (earned.gt(ZERO)) lots.push(earnedLot(posting, item, earned))
  putIn(posting.working, poolOf(posting, item), lots)
  noteCost(posting, item, basisOf(lots))
}

function standing({ lot, principal }: Moving, identity: string) {
  return standingFor({ units: lot.quantity, principal }, identity)
}

function within(backing: Backing | null, quantity: Decimal, due: Decimal): Backing | null {
  return backing && { ...backing, units: least(scaled(backing.units, quantity, due), quantity) }
}

function isReceipt({ entry }: Posting, moving: readonly Moving[], { movement }: Item): boolean {
  if (movement.tokenId !== null) return true
  if (TAKING_OUT.has(entry.type)) return false
  return !moving.some(({ lot, principal }) => standsFor({ units: lot.quantity, principal }, movement.identity))
}

const weightsOf = (moving: readonly Moving[]) => moving.map(({ weight }) => weight)
