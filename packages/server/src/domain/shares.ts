import { type Decimal, decimal, sum, ZERO } from './decimal.ts'

const DIGITS = 6
const PARTS = decimal(100n * 10n ** BigInt(DIGITS))
const PART = decimal('0.000001')

/** 6 decimals that sum to exactly 100, by largest remainders. Values up to 0 get 0. */
export function percentages(values: readonly Decimal[]): Decimal[] {
  const counted = values.map((value) => (value.gt(ZERO) ? value : ZERO))
  const total = sum(counted)
  if (total.eq(ZERO)) return values.map(() => ZERO)
  const exact = counted.map((value) => value.times(PARTS).div(total))
  const cut = exact.map((share) => decimal(share.toFixed(0, 0)))
  const left = Number(PARTS.minus(sum(cut)).toFixed(0))
  const byRemainder = exact
    .map((share, index) => ({ index, remainder: share.minus(cut[index] ?? ZERO) }))
    .sort((a, b) => b.remainder.cmp(a.remainder) || a.index - b.index)
  const rounded = new Set(byRemainder.slice(0, left).map(({ index }) => index))
  return cut.map((share, index) => (rounded.has(index) ? share.plus(1) : share).times(PART))
}
