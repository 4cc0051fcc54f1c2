import type { Address } from '../address.ts'
import { dayOf } from '../day.ts'
import { type Decimal, ZERO } from '../decimal.ts'
import { least, sumKnown } from './apportion.ts'
import { forgotten, putLots, takeLots } from './lots.ts'
import type { DayFigures } from './result.ts'
import type { State, SumName, WalletTotals } from './state.ts'
import { type InTransit, type Lot, type Method, mapSums, type Pool, type PoolId } from './state.ts'

export type OpenPool = Pool & { lots: Lot[] }
type OpenTotals = WalletTotals & {
  unknownDisposals: Record<string, number>
  feesRaw: Record<string, bigint>
  bridgeFees: Record<string, Decimal>
}

/** Working state. A pool is shared with the earlier state until `opened`. */
export type WorkingState = {
  method: Method
  nextOrder: number
  pools: Map<string, Pool>
  opened: Map<string, OpenPool>
  transit: InTransit[]
  wallets: Map<Address, OpenTotals>
  days: Map<string, DayFigures>
}

export function toWorkingState(state: State): WorkingState {
  const days = new Map<string, DayFigures>()
  for (const [wallet, { day }] of state.wallets) {
    if (day) days.set(dayKey(wallet, day.date), { wallet, day: day.date, income: day.income, expense: day.expense })
  }
  return {
    method: state.method,
    nextOrder: state.nextOrder,
    pools: new Map(state.pools.map((pool) => [poolKey(pool), pool])),
    opened: new Map(),
    transit: [...state.transit],
    wallets: new Map([...state.wallets].map(([wallet, totals]) => [wallet, copyTotals(totals)])),
    days,
  }
}

export function toState({ method, nextOrder, pools, transit, wallets }: WorkingState): State {
  return { method, nextOrder, pools: [...pools.values()], transit, wallets }
}

export function totalsOf(working: WorkingState, wallet: Address): OpenTotals {
  const known = working.wallets.get(wallet)
  if (known) return known
  const none = { disposals: 0, unknownDisposals: {}, feesRaw: {}, bridgeFees: {}, unpricedFees: 0, day: null }
  const totals: OpenTotals = { ...mapSums(() => ZERO), ...none }
  working.wallets.set(wallet, totals)
  return totals
}

export function addTo(working: WorkingState, wallet: Address, name: SumName, amount: Decimal | null): void {
  const totals = totalsOf(working, wallet)
  totals[name] = totals[name].plus(amount ?? ZERO)
}

export function addToDay(
  working: WorkingState,
  wallet: Address,
  time: number,
  income: Decimal,
  expense: Decimal,
): void {
  const date = dayOf(time)
  const key = dayKey(wallet, date)
  const before = working.days.get(key) ?? { income: ZERO, expense: ZERO }
  const sums = { income: before.income.plus(income), expense: before.expense.plus(expense) }
  working.days.set(key, { wallet, day: date, ...sums })
  totalsOf(working, wallet).day = { date, ...sums }
}

export function addLot(working: WorkingState, quantity: Decimal, basis: Decimal | null): Lot {
  const order = working.nextOrder
  working.nextOrder += 1
  return { order, quantity, basis, backing: null }
}

export function putIn(working: WorkingState, id: PoolId, lots: readonly Lot[], protocol: string | null = null): void {
  const pool = poolAt(working, id)
  putLots(pool.lots, lots, id.debt ? 'AVG' : working.method)
  for (const lot of lots) pool.quantity = pool.quantity.plus(lot.quantity)
  pool.protocol = protocol ?? pool.protocol
}

export function takeOut(working: WorkingState, id: PoolId, units: Decimal): { lots: Lot[]; missing: Decimal } {
  const pool = poolAt(working, id)
  const missing = units.gt(pool.quantity) ? units.minus(pool.quantity) : ZERO
  const lots = takeLots(pool.lots, units)
  pool.quantity = pool.quantity.minus(units).plus(missing)
  pool.short = pool.short.plus(missing)
  dropIfEmpty(working, pool)
  return { lots, missing }
}

/** Offsets units against those that left too early; returns the rest. */
export function settleShort(working: WorkingState, id: PoolId, units: Decimal): Decimal {
  const pool = findPool(working, id)
  if (!pool) return units
  const settled = least(units, pool.short)
  pool.short = pool.short.minus(settled)
  dropIfEmpty(working, pool)
  return units.minus(settled)
}

export function flag(working: WorkingState, id: PoolId): void {
  poolAt(working, id).flagged = true
}

export function forgetBasis(pool: OpenPool): void {
  pool.lots = pool.lots.map(forgotten)
}

export function dropIfEmpty(working: WorkingState, pool: OpenPool): void {
  if (pool.lots.length > 0 || pool.short.gt(ZERO)) return
  working.pools.delete(poolKey(pool))
  working.opened.delete(poolKey(pool))
}

export function findPool(working: WorkingState, id: PoolId): OpenPool | undefined {
  const key = poolKey(id)
  const pool = working.pools.get(key)
  return pool && (working.opened.get(key) ?? open(working, key, pool))
}

export function basisIn(pools: Iterable<Pool>): Decimal | null {
  let total: Decimal | null = ZERO
  for (const pool of pools) total = sumKnown([total, ...pool.lots.map((lot) => lot.basis)])
  return total
}

function poolAt(working: WorkingState, id: PoolId): OpenPool {
  const known = findPool(working, id)
  if (known) return known
  const pool: Pool = { ...id, protocol: null, quantity: ZERO, short: ZERO, lots: [], flagged: false }
  return open(working, poolKey(id), pool)
}

function open(working: WorkingState, key: string, pool: Pool): OpenPool {
  const opened = { ...pool, lots: [...pool.lots] }
  working.pools.set(key, opened)
  working.opened.set(key, opened)
  return opened
}

function poolKey(id: PoolId): string {
  return `${id.wallet} ${id.chain} ${id.token} ${id.tokenId ?? ''} ${id.debt ? 'debt' : ''} ${id.position ?? ''}`
}

function dayKey(wallet: Address, date: string): string {
  return `${wallet} ${date}`
}

function copyTotals(totals: WalletTotals): OpenTotals {
  return {
    ...totals,
    unknownDisposals: { ...totals.unknownDisposals },
    feesRaw: { ...totals.feesRaw },
    bridgeFees: { ...totals.bridgeFees },
  }
}
