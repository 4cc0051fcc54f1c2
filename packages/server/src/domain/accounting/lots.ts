import { type Decimal, ONE, proportion, ZERO } from '../decimal.ts'
import { least, sumKnown } from './apportion.ts'
import { mergeBacking, splitBacking } from './backing.ts'
import type { Lot, Method } from './state.ts'

export function basisOf(lots: readonly Lot[]): Decimal | null {
  return sumKnown(lots.map((lot) => lot.basis))
}

/** Splits off `part` of `whole`; the second lot is the exact rest. */
export function splitLot(lot: Lot, part: Decimal, whole: Decimal): [Lot, Lot] {
  const quantity = whole.eq(lot.quantity) ? part : proportion(lot.quantity, part, whole)
  // Rounding could raise a cost of many digits.
  const basis = lot.basis && least(proportion(lot.basis, part, whole), lot.basis)
  const [taken, kept] = splitBacking(lot.backing, part, whole)
  return [
    { ...lot, quantity, basis, backing: taken },
    {
      ...lot,
      quantity: lot.quantity.minus(quantity),
      basis: lot.basis && basis && lot.basis.minus(basis),
      backing: kept,
    },
  ]
}

export function resizeLot(lot: Lot, quantity: Decimal): Lot {
  const backing = lot.backing && { ...lot.backing, units: scaled(lot.backing.units, quantity, lot.quantity) }
  return { ...lot, quantity, backing }
}

export function scaled(figure: Decimal, part: Decimal, whole: Decimal): Decimal {
  if (part.eq(whole)) return figure
  return whole.eq(ZERO) ? ZERO : proportion(figure, part, whole)
}

/** Sorts the next to leave last. One unknown basis makes all unknown: units of a pool are indistinguishable. */
export function putLots(lots: Lot[], added: readonly Lot[], method: Method): void {
  const wasUnknown = lots[0]?.basis === null
  const isUnknown = wasUnknown || added.some((lot) => lot.basis === null)
  if (isUnknown && !wasUnknown) for (const [index, lot] of lots.entries()) lots[index] = forgotten(lot)
  const entering = isUnknown ? added.map(forgotten) : added
  if (method === 'AVG') lots.push(...oneLot([...lots.splice(0), ...entering]))
  else for (const lot of entering) lots.splice(placeOf(lot, lots, method), 0, lot)
}

export function forgotten(lot: Lot): Lot {
  return { ...lot, basis: null }
}

export function takeLots(lots: Lot[], units: Decimal): Lot[] {
  const taken: Lot[] = []
  let wanted = units
  for (let lot = lots.pop(); lot; lot = lots.pop()) {
    if (lot.quantity.gt(wanted)) {
      const [part, rest] = wanted.gt(ZERO) ? splitLot(lot, wanted, lot.quantity) : [null, lot]
      if (part) taken.push(part)
      lots.push(rest)
      break
    }
    taken.push(lot)
    wanted = wanted.minus(lot.quantity)
  }
  return taken
}

function oneLot(lots: readonly Lot[]): Lot[] {
  const [first, ...others] = lots
  if (!first) return []
  return [
    others.reduce(
      (sum, lot) => ({
        acquired: null,
        order: Math.min(sum.order, lot.order),
        quantity: sum.quantity.plus(lot.quantity),
        basis: sumKnown([sum.basis, lot.basis]),
        backing: mergeBacking(sum.backing, lot.backing),
      }),
      { ...first, acquired: null },
    ),
  ]
}

function placeOf(lot: Lot, lots: readonly Lot[], method: Exclude<Method, 'AVG'>): number {
  let low = 0
  let high = lots.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = lots[middle]
    if (other && leavesBefore(lot, other, method)) low = middle + 1
    else high = middle
  }
  return low
}

function leavesBefore(a: Lot, b: Lot, method: Exclude<Method, 'AVG'>): boolean {
  if (method === 'LIFO') return a.order > b.order
  const dearer = method === 'HIFO' ? unitCost(a).cmp(unitCost(b)) : 0
  return dearer === 0 ? a.order < b.order : dearer > 0
}

const unitCosts = new WeakMap<Lot, Decimal>()

function unitCost(lot: Lot): Decimal {
  const known = unitCosts.get(lot)
  if (known) return known
  const cost = lot.basis === null || lot.quantity.eq(ZERO) ? ZERO : proportion(lot.basis, ONE, lot.quantity)
  unitCosts.set(lot, cost)
  return cost
}
