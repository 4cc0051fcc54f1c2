import { type Decimal, sum, ZERO } from '../decimal.ts'
import { sumKnown } from './apportion.ts'
import type { Pool, PoolId, State } from './state.ts'

/** What a pool holds and what that cost. `basis` in USD, of a debt what was received for it; null = unknown. */
export type PoolFigures = PoolId & Pick<Pool, 'protocol' | 'flagged'> & { quantity: Decimal; basis: Decimal | null }

/** USD; null = unknown. */
export type Pnl = { totalCostBasis: Decimal | null; openPnl: Decimal | null }

/** Every pool with its sums, those that are empty but short included. */
export function poolFigures({ pools }: Pick<State, 'pools'>): PoolFigures[] {
  return pools.map(({ lots, ...pool }) => ({ ...pool, basis: sumKnown(lots.map((lot) => lot.basis)) }))
}

/**
 * Cost and open PnL of some pools: one for an asset; for a position the pools of its receipts and debts. `value`: their
 * worth now, debts subtracted; null: unpriced. The basis of a debt counts negative, so that the open PnL of a debt is
 * its basis − its worth.
 */
export function openPnl(pools: readonly Pick<PoolFigures, 'debt' | 'basis'>[], value: Decimal | null): Pnl {
  const totalCostBasis = sumKnown(pools.map(({ debt, basis }) => (debt && basis ? ZERO.minus(basis) : basis)))
  return { totalCostBasis, openPnl: value && totalCostBasis ? value.minus(totalCostBasis) : null }
}

/** Totals of assets and positions: each sum is of what is known, and unknown only when nothing is. */
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
