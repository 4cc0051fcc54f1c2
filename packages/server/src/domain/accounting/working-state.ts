import type { Address } from '../address.ts'
import { dayOf } from '../day.ts'
import { type Decimal, ZERO } from '../decimal.ts'
import { least, sumKnown } from './apportion.ts'
import { forgotten, putLots, takeLots } from './lots.ts'
import type { DayFigures } from './result.ts'
import {
  type InTransit,
  type Lot,
  type Method,
  mapSums,
  type Pool,
  type PoolId,
  poolKey,
  type State,
  type SumName,
  type WalletTotals,
} from './state.ts'

export type OpenPool = Pool & { lots: Lot[] }
type OpenTotals = WalletTotals & {
  unknownDisposals: Record<string, number>
  feesRaw: Record<string, bigint>
  bridgeFees: Record<string, Decimal>
}

/** `pools`: by wallet and key. Pools and totals are shared with states until they are opened. */
export type WorkingState = {
  method: Method
  nextOrder: number
  nextPool: number
  pools: Map<Address, Map<string, Pool>>
  openPools: Set<Pool>
  transit: InTransit[]
  wallets: Map<Address, WalletTotals>
  openTotals: Set<WalletTotals>
  days: Map<string, DayFigures>
}

export function toWorkingState(state: State): WorkingState {
  const working: WorkingState = {
    method: state.method,
    nextOrder: state.nextOrder,
    nextPool: state.nextPool,
    pools: new Map(),
    openPools: new Set(),
    transit: [...state.transit],
    wallets: new Map(),
    openTotals: new Set(),
    days: new Map(),
  }
  addWallets(working, state)
  return working
}

/** The working state must lack the wallets. */
export function addWallets(working: WorkingState, { pools, wallets }: State): void {
  for (const pool of pools) poolsOfWallet(working, pool.wallet).set(poolKey(pool), pool)
  for (const [wallet, totals] of wallets) {
    working.wallets.set(wallet, totals)
    const { day } = totals
    if (day)
      working.days.set(dayKey(wallet, day.date), { wallet, day: day.date, income: day.income, expense: day.expense })
  }
}

/** Later changes leave the state as it is. Unchanged pools and totals are the same objects in each state. */
export function takeState(working: WorkingState): State {
  const { method, nextOrder, nextPool, transit, wallets } = working
  working.openPools.clear()
  working.openTotals.clear()
  const pools = [...working.pools.values()].flatMap((ofWallet) => [...ofWallet.values()])
  pools.sort((a, b) => a.opened - b.opened)
  return { method, nextOrder, nextPool, pools, transit: [...transit], wallets: new Map(wallets) }
}

export function totalsOf(working: WorkingState, wallet: Address): OpenTotals {
  const known = working.wallets.get(wallet)
  if (known && working.openTotals.has(known)) return known as OpenTotals
  const none = { disposals: 0, unknownDisposals: {}, feesRaw: {}, bridgeFees: {}, unpricedFees: 0, day: null }
  const totals: OpenTotals = known ? copyTotals(known) : { ...mapSums(() => ZERO), ...none }
  working.wallets.set(wallet, totals)
  working.openTotals.add(totals)
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

export function addLot(working: WorkingState, of: Omit<Lot, 'order' | 'backing'>): Lot {
  const order = working.nextOrder
  working.nextOrder += 1
  return { ...of, order, backing: null }
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
  working.pools.get(pool.wallet)?.delete(poolKey(pool))
  working.openPools.delete(pool)
}

export function findPool(working: WorkingState, id: PoolId): OpenPool | undefined {
  const pool = working.pools.get(id.wallet)?.get(poolKey(id))
  return pool && (working.openPools.has(pool) ? (pool as OpenPool) : open(working, pool))
}

export function basisIn(pools: Iterable<Pool>): Decimal | null {
  let total: Decimal | null = ZERO
  for (const pool of pools) total = sumKnown([total, ...pool.lots.map((lot) => lot.basis)])
  return total
}

function poolAt(working: WorkingState, id: PoolId): OpenPool {
  const known = findPool(working, id)
  if (known) return known
  const opened = working.nextPool
  working.nextPool += 1
  return open(working, { ...id, protocol: null, quantity: ZERO, short: ZERO, lots: [], flagged: false, opened })
}

function open(working: WorkingState, pool: Pool): OpenPool {
  const opened = { ...pool, lots: [...pool.lots] }
  poolsOfWallet(working, pool.wallet).set(poolKey(pool), opened)
  working.openPools.add(opened)
  return opened
}

export function poolsOfWallet({ pools }: WorkingState, wallet: Address): Map<string, Pool> {
  const known = pools.get(wallet)
  if (known) return known
  const none = new Map<string, Pool>()
  pools.set(wallet, none)
  return none
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
