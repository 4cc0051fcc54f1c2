import { type Decimal, decimal } from '../../domain/decimal.ts'

/** `isPast`: null if not known yet. */
export type Threshold = { isAbove: boolean; threshold: Decimal; isPast: boolean | null }

/** A value must come back by 2 % before passing counts again. */
const [UNDER, OVER] = [decimal('0.98'), decimal('1.02')]

export function isPast({ isAbove, threshold, isPast: was }: Threshold, value: Decimal): boolean {
  if (isAbove ? value.gt(threshold) : value.lt(threshold)) return true
  if (was !== true) return false
  return isAbove ? value.gt(threshold.times(UNDER)) : value.lt(threshold.times(OVER))
}
