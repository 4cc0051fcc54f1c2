import { type Decimal, sum, ZERO } from './decimal.ts'

type Moved = { quantity: Decimal; price: Decimal | null; treatment: string; debt: boolean }

/** Returns the larger of received and given USD, without gas and debts; null if nothing moved. */
export function valueMoved(movements: readonly Moved[]): Decimal | null {
  const moved = movements.filter(({ treatment, debt }) => treatment !== 'fee' && !debt)
  if (moved.length === 0) return null
  const values = moved.map(({ quantity, price }) => quantity.times(price ?? ZERO))
  const received = sum(values.filter((value) => value.gt(0)))
  const given = sum(values.filter((value) => value.lt(0))).abs()
  return received.gt(given) ? received : given
}
