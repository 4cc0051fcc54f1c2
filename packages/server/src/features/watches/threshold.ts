import { type Decimal, decimal } from '../../domain/decimal.ts'

/** A limit that is told of when it is passed. `isPast`: as last known; null: not known yet. */
export type Threshold = { isAbove: boolean; threshold: Decimal; isPast: boolean | null }

/** How far a value must come back before passing the threshold counts again: 2 % of it. */
const [UNDER, OVER] = [decimal('0.98'), decimal('1.02')]

/** Whether a value is past the threshold: beyond it, or beyond it before and not come back by 2 % of it. */
export function isPast({ isAbove, threshold, isPast: was }: Threshold, value: Decimal): boolean {
  if (isAbove ? value.gt(threshold) : value.lt(threshold)) return true
  if (was !== true) return false
  return isAbove ? value.gt(threshold.times(UNDER)) : value.lt(threshold.times(OVER))
}
