import type { Address } from '../address.ts'
import { type Decimal, decimal, formatDecimal } from '../decimal.ts'
import {
  type Backing,
  emptyState,
  type InTransit,
  type Lot,
  type Method,
  mapSums,
  type Pool,
  type Principal,
  poolKey,
  type State,
  type WalletTotals,
} from './state.ts'

/**
 * JSON of one pool, of a wallet's totals (`part` empty), or of the figures without a wallet (`wallet` empty too). `value`
 * null: the pool is empty. A migration changes the shape.
 */
export type StatePart = { wallet: Address; part: string; value: unknown }

type Rest = { nextOrder: number; nextPool: number; transit: InTransit<string>[] }

/** Later parts replace earlier ones. Pools and totals are compared as objects. */
export function partsBetween(before: State, { nextOrder, nextPool, transit, pools, wallets }: State): StatePart[] {
  const [earlier, later] = [new Set(before.pools), new Set(pools)]
  const key = (pool: Pool) => ({ wallet: pool.wallet, part: poolKey(pool) })
  const changed = pools.filter((pool) => !earlier.has(pool))
  const names = new Set(changed.map((pool) => `${pool.wallet} ${poolKey(pool)}`))
  const dropped = before.pools.filter((pool) => !later.has(pool) && !names.has(`${pool.wallet} ${poolKey(pool)}`))
  const rest: Rest = { nextOrder, nextPool, transit: transit.map(written.transit) }
  return [
    { wallet: '', part: '', value: rest },
    ...[...wallets].flatMap(([wallet, totals]) =>
      before.wallets.get(wallet) === totals ? [] : [{ wallet, part: '', value: written.totals(totals) }],
    ),
    ...changed.map((pool) => ({ ...key(pool), value: written.pool(pool) })),
    ...dropped.map((pool) => ({ ...key(pool), value: null })),
  ]
}

/** The newest of each part. */
export function stateOfParts(method: Method, parts: readonly StatePart[]): State {
  const state = { ...emptyState(method), pools: [] as Pool[], wallets: new Map<Address, WalletTotals>() }
  for (const { wallet, part, value } of parts) {
    if (value === null) continue
    if (part !== '') state.pools.push(read.pool(value as Pool<string, string>))
    else if (wallet !== '') state.wallets.set(wallet, read.totals(value as WalletTotals<string, string>))
    else Object.assign(state, { ...(value as Rest), transit: (value as Rest).transit.map(read.transit) })
  }
  state.pools.sort((a, b) => a.opened - b.opened)
  return state
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
