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
 * JSON of a pool, of some of its lots (`part` ends with `first`, or with the order of their first), of a wallet's totals (`part` empty), or of
 * the figures without a wallet (`wallet` empty too). `value` null: it is gone. A migration changes the shape.
 */
export type StatePart = { wallet: Address; part: string; value: unknown }

type PoolPart = Omit<Pool<string, string>, 'lots'> & { lots: string[] }
type Rest = { nextOrder: number; nextPool: number; transit: InTransit<string>[] }

/** Later parts replace earlier ones. Unchanged pools, lots and totals are the same objects in both states. */
export function partsBetween(before: State, { nextOrder, nextPool, transit, pools, wallets }: State): StatePart[] {
  const rest: Rest = { nextOrder, nextPool, transit: transit.map(written.transit) }
  const [earlier, later] = [new Set(before.pools), new Set(pools)]
  const gone = before.pools.filter((pool) => !later.has(pool))
  const replaced = new Map(gone.map((pool) => [placeOf(pool), pool]))
  const changed = pools.filter((pool) => !earlier.has(pool))
  const present = new Set(changed.map(placeOf))
  return [
    { wallet: '', part: '', value: rest },
    ...[...wallets].flatMap(([wallet, totals]) =>
      before.wallets.get(wallet) === totals ? [] : [{ wallet, part: '', value: written.totals(totals) }],
    ),
    ...changed.flatMap((pool) => poolParts(pool, replaced.get(placeOf(pool)))),
    ...gone.filter((pool) => !present.has(placeOf(pool))).flatMap(partsGone),
  ]
}

const placeOf = (pool: Pool) => `${pool.wallet} ${poolKey(pool)}`

const partsGone = (pool: Pool): StatePart[] =>
  [poolKey(pool), ...lotPages(pool).keys()].map((part) => ({ wallet: pool.wallet, part, value: null }))

function poolParts(pool: Pool, before: Pool | undefined): StatePart[] {
  const { wallet } = pool
  const [pages, earlier] = [lotPages(pool), before ? lotPages(before) : new Map<string, Lot[]>()]
  const isSame = (lots: readonly Lot[], other: readonly Lot[] = []) =>
    lots.length === other.length && lots.every((lot, i) => lot === other[i])
  const value: PoolPart = { ...written.pool({ ...pool, lots: [] }), lots: [...pages.keys()] }
  return [
    { wallet, part: poolKey(pool), value },
    ...[...pages].flatMap(([part, lots]) =>
      isSame(lots, earlier.get(part)) ? [] : [{ wallet, part, value: lots.map(written.lot) }],
    ),
    ...[...earlier.keys()].flatMap((part) => (pages.has(part) ? [] : [{ wallet, part, value: null }])),
  ]
}

/** A page begins at some lots by their `order`, so that an added lot changes one page. */
function lotPages(pool: Pool): Map<string, Lot[]> {
  const pages = new Map<string, Lot[]>()
  let page: Lot[] | undefined
  for (const lot of pool.lots) {
    const part = `${poolKey(pool)} ${page ? lot.order : 'first'}`
    // Parts of a lot that come together again have one order.
    if (page && (!beginsPage(lot) || pages.has(part))) page.push(lot)
    else {
      page = [lot]
      pages.set(part, page)
    }
  }
  return pages
}

/** One of 64, by the upper six bits of Knuth's multiplicative hash: pools share the counter of orders. */
const beginsPage = ({ order }: Lot) => Math.imul(order, 0x9e3779b1) >>> 26 === 0

/** The newest of each part. */
export function stateOfParts(method: Method, parts: readonly StatePart[]): State {
  const byPlace = new Map(parts.map(({ wallet, part, value }) => [`${wallet} ${part}`, value]))
  const state = { ...emptyState(method), pools: [] as Pool[], wallets: new Map<Address, WalletTotals>() }
  for (const { wallet, part, value } of parts) {
    if (value === null || Array.isArray(value)) continue
    if (part !== '') {
      const { lots, ...pool } = value as PoolPart
      const pages = lots.map((page) => byPlace.get(`${wallet} ${page}`) as Lot<string>[])
      state.pools.push(read.pool({ ...pool, lots: pages.flat() }))
    } else if (wallet !== '') state.wallets.set(wallet, read.totals(value as WalletTotals<string, string>))
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
    acquired: of.acquired,
    quantity: figure(of.quantity),
    basis: optional(of.basis),
    backing: backing(of.backing),
  })

  return {
    lot,
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
