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
export type Books = {
  method: Method
  nextOrder: number
  pools: Map<string, Pool>
  opened: Map<string, OpenPool>
  transit: InTransit[]
  wallets: Map<Address, OpenTotals>
  days: Map<string, DayFigures>
}

export function openBooks(state: State): Books {
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

export function closeBooks({ method, nextOrder, pools, transit, wallets }: Books): State {
  return { method, nextOrder, pools: [...pools.values()], transit, wallets }
}

export function totalsOf(books: Books, wallet: Address): OpenTotals {
  const known = books.wallets.get(wallet)
  if (known) return known
  const none = { disposals: 0, unknownDisposals: {}, feesRaw: {}, bridgeFees: {}, unpricedFees: 0, day: null }
  const totals: OpenTotals = { ...mapSums(() => ZERO), ...none }
  books.wallets.set(wallet, totals)
  return totals
}

export function addTo(books: Books, wallet: Address, name: SumName, amount: Decimal | null): void {
  const totals = totalsOf(books, wallet)
  totals[name] = totals[name].plus(amount ?? ZERO)
}

export function addToDay(books: Books, wallet: Address, time: number, income: Decimal, expense: Decimal): void {
  const date = dayOf(time)
  const key = dayKey(wallet, date)
  const before = books.days.get(key) ?? { income: ZERO, expense: ZERO }
  const sums = { income: before.income.plus(income), expense: before.expense.plus(expense) }
  books.days.set(key, { wallet, day: date, ...sums })
  totalsOf(books, wallet).day = { date, ...sums }
}

export function addLot(books: Books, quantity: Decimal, basis: Decimal | null): Lot {
  const order = books.nextOrder
  books.nextOrder += 1
  return { order, quantity, basis, backing: null }
}

export function putIn(books: Books, id: PoolId, lots: readonly Lot[], protocol: string | null = null): void {
  const pool = poolAt(books, id)
  putLots(pool.lots, lots, id.debt ? 'AVG' : books.method)
  for (const lot of lots) pool.quantity = pool.quantity.plus(lot.quantity)
  pool.protocol = protocol ?? pool.protocol
}

export function takeOut(books: Books, id: PoolId, units: Decimal): { lots: Lot[]; missing: Decimal } {
  const pool = poolAt(books, id)
  const missing = units.gt(pool.quantity) ? units.minus(pool.quantity) : ZERO
  const lots = takeLots(pool.lots, units)
  pool.quantity = pool.quantity.minus(units).plus(missing)
  pool.short = pool.short.plus(missing)
  dropIfEmpty(books, pool)
  return { lots, missing }
}

/** Offsets units against those that left too early; returns the rest. */
export function settleShort(books: Books, id: PoolId, units: Decimal): Decimal {
  const pool = findPool(books, id)
  if (!pool) return units
  const settled = least(units, pool.short)
  pool.short = pool.short.minus(settled)
  dropIfEmpty(books, pool)
  return units.minus(settled)
}

export function flag(books: Books, id: PoolId): void {
  poolAt(books, id).flagged = true
}

export function forgetBasis(pool: OpenPool): void {
  pool.lots = pool.lots.map(forgotten)
}

export function dropIfEmpty(books: Books, pool: OpenPool): void {
  if (pool.lots.length > 0 || pool.short.gt(ZERO)) return
  books.pools.delete(poolKey(pool))
  books.opened.delete(poolKey(pool))
}

export function findPool(books: Books, id: PoolId): OpenPool | undefined {
  const key = poolKey(id)
  const pool = books.pools.get(key)
  return pool && (books.opened.get(key) ?? open(books, key, pool))
}

export function basisIn(pools: Iterable<Pool>): Decimal | null {
  let total: Decimal | null = ZERO
  for (const pool of pools) total = sumKnown([total, ...pool.lots.map((lot) => lot.basis)])
  return total
}

function poolAt(books: Books, id: PoolId): OpenPool {
  const known = findPool(books, id)
  if (known) return known
  const pool: Pool = { ...id, protocol: null, quantity: ZERO, short: ZERO, lots: [], flagged: false }
  return open(books, poolKey(id), pool)
}

function open(books: Books, key: string, pool: Pool): OpenPool {
  const opened = { ...pool, lots: [...pool.lots] }
  books.pools.set(key, opened)
  books.opened.set(key, opened)
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
