import type { Address } from '../address.ts'
import { type Decimal, sum, ZERO } from '../decimal.ts'
import { sumKnown } from './apportion.ts'
import type { Pool, State, WalletTotals } from './state.ts'

/** `basis`: USD, of a debt the amount received; null: unknown. */
export type PoolFigures = Omit<Pool, 'lots' | 'short' | 'opened'> & { basis: Decimal | null }

/** In USD. Null: unknown. */
export type Pnl = { totalCostBasis: Decimal | null; openPnl: Decimal | null }

export function poolFigures(pools: readonly Pool[]): PoolFigures[] {
  return pools.map(({ lots, ...pool }) => ({ ...pool, basis: sumKnown(lots.map((lot) => lot.basis)) }))
}

/** A debt's open PnL is basis − worth. `value`: worth minus debts; null: unpriced. */
export function openPnl(pools: readonly PoolFigures[], value: Decimal | null): Pnl {
  const totalCostBasis = sumKnown(pools.map(({ debt, basis }) => (debt && basis ? ZERO.minus(basis) : basis)))
  return { totalCostBasis, openPnl: value && totalCostBasis ? value.minus(totalCostBasis) : null }
}

/** Sums known parts; null only if all are unknown. */
export function sumPnl(parts: readonly Pnl[]): Pnl {
  const sumOf = (name: keyof Pnl) => sumOfKnown(parts.map((part) => part[name]))
  return { totalCostBasis: sumOf('totalCostBasis'), openPnl: sumOf('openPnl') }
}

function sumOfKnown(values: readonly (Decimal | null)[]): Decimal | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 && values.length > 0 ? null : sum(known)
}

/** In USD. */
export type PnlSums = {
  /** With known cost and proceeds. */
  realised: Decimal
  sales: number
  unknownSales: number
  income: Decimal
  expense: Decimal
  /** Gas and bridge fees at the time's price; not in cost or proceeds. */
  fees: Decimal
  unpricedFees: number
}

export const NO_SUMS: PnlSums = {
  realised: ZERO,
  sales: 0,
  unknownSales: 0,
  income: ZERO,
  expense: ZERO,
  fees: ZERO,
  unpricedFees: 0,
}

export const sumsOf = ({ wallets }: { wallets: State['wallets'] }, of: readonly Address[]): PnlSums =>
  of
    .flatMap((wallet) => wallets.get(wallet) ?? [])
    .map(ofTotals)
    .reduce(addSums, NO_SUMS)

function ofTotals(totals: WalletTotals): PnlSums {
  const { closedPnl: realised, disposals: sales, income, expense, feesUsd: fees, unpricedFees } = totals
  const unknownSales = Object.values(totals.unknownDisposals).reduce((sum, count) => sum + count, 0)
  return { realised, sales, unknownSales, income, expense, fees, unpricedFees }
}

export const addSums = (a: PnlSums, b: PnlSums): PnlSums => ({
  realised: a.realised.plus(b.realised),
  sales: a.sales + b.sales,
  unknownSales: a.unknownSales + b.unknownSales,
  income: a.income.plus(b.income),
  expense: a.expense.plus(b.expense),
  fees: a.fees.plus(b.fees),
  unpricedFees: a.unpricedFees + b.unpricedFees,
})

export const sumsSince = (before: PnlSums, after: PnlSums): PnlSums => ({
  realised: after.realised.minus(before.realised),
  sales: after.sales - before.sales,
  unknownSales: after.unknownSales - before.unknownSales,
  income: after.income.minus(before.income),
  expense: after.expense.minus(before.expense),
  fees: after.fees.minus(before.fees),
  unpricedFees: after.unpricedFees - before.unpricedFees,
})
