import type { Address } from '../address.ts'
import { type Decimal, decimal, formatDecimal } from '../decimal.ts'
import {
  type Backing,
  type InTransit,
  type Lot,
  type Method,
  mapSums,
  type Pool,
  type Principal,
  type State,
  type WalletTotals,
} from './state.ts'

/** A change of its shape is a new version. */
export type StateJson = {
  version: 2
  method: Method
  nextOrder: number
  pools: Pool<string, string>[]
  transit: InTransit<string>[]
  wallets: { wallet: Address; totals: WalletTotals<string, string> }[]
}

export function stateToJson({ method, nextOrder, pools, transit, wallets }: State): StateJson {
  return {
    version: 2,
    method,
    nextOrder,
    pools: pools.map(written.pool),
    transit: transit.map(written.transit),
    wallets: [...wallets].map(([wallet, totals]) => ({ wallet, totals: written.totals(totals) })),
  }
}

export function stateFromJson({ version, method, nextOrder, pools, transit, wallets }: StateJson): State {
  if (version !== 2) throw new Error(`Accounting cannot read a state of version ${String(version)}.`)
  return {
    method,
    nextOrder,
    pools: pools.map(read.pool),
    transit: transit.map(read.transit),
    wallets: new Map(wallets.map(({ wallet, totals }) => [wallet, read.totals(totals)])),
  }
}

const written = conversion<Decimal, bigint, string, string>(formatDecimal, String)
const read = conversion<string, string, Decimal, bigint>(decimal, BigInt)

function conversion<D, I, ToD, ToI>(figure: (value: D) => ToD, integer: (value: I) => ToI) {
  const optional = (value: D | null) => (value === null ? null : figure(value))

  const principal = (of: Principal<D>): Principal<ToD> => ({
    quantity: figure(of.quantity),
    backing: backing(of.backing),
  })
  const backing = (of: Backing<D> | null): Backing<ToD> | null =>
    of && { units: figure(of.units), principal: mapped(of.principal, principal) }

  const lot = (of: Lot<D>): Lot<ToD> => ({
    order: of.order,
    quantity: figure(of.quantity),
    basis: optional(of.basis),
    backing: backing(of.backing),
  })

  return {
    pool: (pool: Pool<D, I>): Pool<ToD, ToI> => ({
      ...pool,
      tokenId: pool.tokenId === null ? null : integer(pool.tokenId),
      quantity: figure(pool.quantity),
      short: figure(pool.short),
      lots: pool.lots.map(lot),
    }),
    transit: (crossing: InTransit<D>): InTransit<ToD> => ({
      ...crossing,
      price: optional(crossing.price),
      quantity: figure(crossing.quantity),
      lots: crossing.lots.map(lot),
    }),
    totals: ({ day, ...totals }: WalletTotals<D, I>): WalletTotals<ToD, ToI> => ({
      ...totals,
      ...mapSums((name) => figure(totals[name])),
      feesRaw: mapped(totals.feesRaw, integer),
      bridgeFees: mapped(totals.bridgeFees, figure),
      day: day && { date: day.date, income: figure(day.income), expense: figure(day.expense) },
    }),
  }
}

function mapped<From, To>(record: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}
