import type { Address } from '../address.ts'
import { type Decimal, decimal, decimalOrNull, formatDecimal } from '../decimal.ts'
import type { Backing, InTransit, Lot, Pool, Principal, State, WalletTotals } from './state.ts'

type Json<T> = T extends Decimal | bigint
  ? string
  : T extends string | number | boolean | null
    ? T
    : { [Key in keyof T]: Json<T[Key]> }

/** A change of its shape is a new version. */
export type StateJson = Json<Pick<State, 'method' | 'nextOrder' | 'pools' | 'transit'>> & {
  version: 2
  wallets: { wallet: Address; totals: Json<WalletTotals> }[]
}

export function stateToJson(state: State): StateJson {
  return {
    version: 2,
    method: state.method,
    nextOrder: state.nextOrder,
    pools: state.pools.map((pool) => ({
      ...pool,
      tokenId: pool.tokenId === null ? null : pool.tokenId.toString(),
      quantity: formatDecimal(pool.quantity),
      short: formatDecimal(pool.short),
      lots: pool.lots.map(writeLot),
    })),
    transit: state.transit.map((crossing) => ({
      ...crossing,
      price: writeOptional(crossing.price),
      quantity: formatDecimal(crossing.quantity),
      lots: crossing.lots.map(writeLot),
    })),
    wallets: [...state.wallets].map(([wallet, totals]) => ({ wallet, totals: writeTotals(totals) })),
  }
}

export function stateFromJson(json: StateJson): State {
  if (json.version !== 2) throw new Error(`Accounting cannot read a state of version ${String(json.version)}.`)
  return {
    method: json.method,
    nextOrder: json.nextOrder,
    pools: json.pools.map(readPool),
    transit: json.transit.map(readTransit),
    wallets: new Map(json.wallets.map(({ wallet, totals }) => [wallet, readTotals(totals)])),
  }
}

function readPool(pool: Json<Pool>): Pool {
  return {
    ...pool,
    tokenId: pool.tokenId === null ? null : BigInt(pool.tokenId),
    quantity: decimal(pool.quantity),
    short: decimal(pool.short),
    lots: pool.lots.map(readLot),
  }
}

function readTransit(crossing: Json<InTransit>): InTransit {
  return {
    ...crossing,
    price: decimalOrNull(crossing.price),
    quantity: decimal(crossing.quantity),
    lots: crossing.lots.map(readLot),
  }
}

function writeLot(lot: Lot): Json<Lot> {
  return {
    order: lot.order,
    quantity: formatDecimal(lot.quantity),
    basis: writeOptional(lot.basis),
    backing: writeBacking(lot.backing),
  }
}

function readLot(lot: Json<Lot>): Lot {
  return {
    order: lot.order,
    quantity: decimal(lot.quantity),
    basis: decimalOrNull(lot.basis),
    backing: readBacking(lot.backing),
  }
}

function writeBacking(backing: Backing | null): Json<Backing> | null {
  if (backing === null) return null
  const write = ({ quantity, backing: inner }: Principal) => ({
    quantity: formatDecimal(quantity),
    backing: writeBacking(inner),
  })
  return { units: formatDecimal(backing.units), principal: mapped(backing.principal, write) }
}

function readBacking(backing: Json<Backing> | null): Backing | null {
  if (backing === null) return null
  const read = ({ quantity, backing: inner }: Json<Principal>) => ({
    quantity: decimal(quantity),
    backing: readBacking(inner),
  })
  return { units: decimal(backing.units), principal: mapped(backing.principal, read) }
}

function writeTotals(totals: WalletTotals): Json<WalletTotals> {
  const { day } = totals
  return {
    ...totals,
    ...mapped(sumsOf(totals), formatDecimal),
    feesRaw: mapped(totals.feesRaw, String),
    bridgeFees: mapped(totals.bridgeFees, formatDecimal),
    day: day && { date: day.date, income: formatDecimal(day.income), expense: formatDecimal(day.expense) },
  }
}

function readTotals(totals: Json<WalletTotals>): WalletTotals {
  const { day } = totals
  return {
    ...totals,
    ...mapped(sumsOf(totals), decimal),
    feesRaw: mapped(totals.feesRaw, BigInt),
    bridgeFees: mapped(totals.bridgeFees, decimal),
    day: day && { date: day.date, income: decimal(day.income), expense: decimal(day.expense) },
  }
}

function sumsOf<Sum>(totals: Record<SumName, Sum>): Record<SumName, Sum> {
  const { closedPnl, feesUsd, income, expense, acquired, borrowed, sentExternal } = totals
  const { sentBasis, repaidBasis, gasBasis, bridgeFeeBasis } = totals
  return {
    closedPnl,
    feesUsd,
    income,
    expense,
    acquired,
    borrowed,
    sentExternal,
    sentBasis,
    repaidBasis,
    gasBasis,
    bridgeFeeBasis,
  }
}
type SumName = {
  [Key in keyof WalletTotals]: WalletTotals[Key] extends Decimal ? Key : never
}[keyof WalletTotals]

function mapped<Key extends string, From, To>(
  record: Readonly<Record<Key, From>>,
  map: (value: From) => To,
): Record<Key, To> {
  const entries = Object.entries<From>(record).map(([key, value]) => [key, map(value)])
  return Object.fromEntries(entries) as Record<Key, To>
}

const writeOptional = (value: Decimal | null) => value && formatDecimal(value)
