import { type Decimal, ONE, proportion, sum, ZERO } from '../decimal.ts'

/** `worth` in USD; null: unpriced. */
export type Sized = { units: Decimal; worth: Decimal | null }

/** Returns parts that sum exactly and are never negative. All-zero weights count as equal. */
export function apportion(total: Decimal, weights: readonly Decimal[]): Decimal[] {
  if (weights.length < 2) return weights.map(() => total)
  const whole = sum(weights)
  if (whole.eq(ZERO)) return apportion(total, Array<Decimal>(weights.length).fill(ONE))
  let reached = ZERO
  let edge = ZERO
  return weights.map((weight, index) => {
    reached = reached.plus(weight)
    const before = edge
    edge = index === weights.length - 1 ? total : least(proportion(total, reached, whole), total)
    return edge.minus(before)
  })
}

export function sumKnown(values: Iterable<Decimal | null>): Decimal | null {
  let total = ZERO
  for (const value of values) {
    if (value === null) return null
    total = total.plus(value)
  }
  return total
}

/** Splits by worth. A single unpriced side gets the rest, several get null. Without a total each gets its own worth. */
export function shareOut(total: Decimal | null, sides: readonly Sized[]): (Decimal | null)[] {
  if (total === null) return sides.map((side) => side.worth)
  if (sides.length === 1) return [total]
  const worths = sides.map((side) => side.worth ?? ZERO)
  const unpriced = sides.filter((side) => side.worth === null).length
  const left = total.minus(sum(worths))
  if (unpriced === 0 || left.lte(ZERO)) return apportion(total, worths)
  return sides.map((side) => side.worth ?? (unpriced === 1 ? left : null))
}

export function least(a: Decimal, b: Decimal): Decimal {
  return a.lt(b) ? a : b
}
