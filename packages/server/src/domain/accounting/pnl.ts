import { type Decimal, sum, ZERO } from '../decimal.ts'
import { sumKnown } from './apportion.ts'
import type { Pool, PoolId, State } from './state.ts'

/** `basis`: USD, of a debt the amount received; null: unknown. */
export type PoolFigures = PoolId & Pick<Pool, 'protocol' | 'flagged'> & { quantity: Decimal; basis: Decimal | null }

/** In USD. Null: unknown. */
export type Pnl = { totalCostBasis: Decimal | null; openPnl: Decimal | null }

export function poolFigures({ pools }: Pick<State, 'pools'>): PoolFigures[] {
  return pools.map(({ lots, ...pool }) => ({ ...pool, basis: sumKnown(lots.map((lot) => lot.basis)) }))
}

/** Subtracts a debt's basis: its open PnL is basis − worth. `value`: worth minus debts; null: unpriced. */
export function openPnl(pools: readonly Pick<PoolFigures, 'debt' | 'basis'>[], value: Decimal | null): Pnl {
  const totalCostBasis = sumKnown(pools.map(({ debt, basis }) => (debt && basis ? ZERO.minus(basis) : basis)))
  return { totalCostBasis, openPnl: value && totalCostBasis ? value.minus(totalCostBasis) : null }
}

/** Sums known parts; null only if all are unknown. */
export function sumPnl(parts: readonly Pnl[]): Pnl {
  return {
    totalCostBasis: sumOfKnown(parts.map((part) => part.totalCostBasis)),
    openPnl: sumOfKnown(parts.map((part) => part.openPnl)),
  }
}

function sumOfKnown(values: readonly (Decimal | null)[]): Decimal | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 && values.length > 0 ? null : sum(known)
}
