import {
  createLastUnits,
  type EarnedUnits,
  earnedUnits,
  type OpenLot,
  openLots,
  type SoldLot,
  soldLots,
} from '../../../domain/accounting/lot-lines.ts'
import { createOrigins, type Origins } from '../../../domain/accounting/origins.ts'
import { addSums, NO_SUMS, type PnlSums, sumsOf, sumsSince } from '../../../domain/accounting/pnl.ts'
import { emptyState, type Method } from '../../../domain/accounting/state.ts'
import type { Address } from '../../../domain/address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import type { ChainGap } from '../../portfolio/wallet-figures.ts'
import { groupEntries, type Rows } from '../cost/accounting-entries.ts'
import { chainGapsOf, keysOf, type Scope, walletsOf } from '../cost/accounting-store.ts'
import { type Booked, createReplay, type ReplayMeans, readEntries } from '../cost/replay.ts'

export type LeftOut = WalletOnChain & { reason: 'no-history' | ChainGap['reason'] }

export type PnlScopes = {
  scopes: readonly { scope: Scope; wallets: readonly Address[] }[]
  /** No chain has a complete history. */
  withoutHistory: readonly Address[]
  /**
   * Incomplete chains of the other wallets. `pruned`: figures lack blocks that no node has. `replaced-chain`: figures
   * include blocks that the only endpoint lacks.
   */
  leftOut: readonly LeftOut[]
  /** Changes with the histories of the scopes. */
  version: string
}

/** Unix seconds; `to` is exclusive. */
export type Span = { from: number; to: number }

/** In order of time within each scope, open lots last. In USD. Under average cost lots have no origin. */
export type PnlPart = { sold: readonly SoldLot[]; earned: readonly EarnedUnits[]; open: readonly OpenLot[] }

const OPEN_AT_ONCE = 1_000

export type Pnl = ReturnType<typeof createPnl>

export type PnlMeans = ReplayMeans & {
  scopeOf(accountId: string, wallet: Address): Promise<Scope | undefined>
  lastChanges(wallets: readonly Address[]): Promise<ReadonlyMap<Address, string>>
}

/** Replays histories from the first entry. Memory holds a page of entries and the lots. */
export function createPnl({ scopeOf, lastChanges, ...means }: PnlMeans) {
  async function findScopes(accountId: string, wallets: readonly Address[]): Promise<PnlScopes> {
    const found = await Promise.all(
      [...new Set(wallets)].map(async (wallet) => ({ wallet, scope: await scopeOf(accountId, wallet) })),
    )
    const known = found.flatMap(({ wallet, scope }) => (scope ? [{ wallet, scope }] : []))
    const groups = [...Map.groupBy(known, ({ scope }) => scope.key).values()]
    const scopes = groups.flatMap((group) => {
      const [first] = group
      return first ? [{ scope: first.scope, wallets: group.map(({ wallet }) => wallet) }] : []
    })
    const involved = [...new Set(scopes.flatMap(({ scope }) => walletsOf(scope)))]
    const changes = involved.length === 0 ? new Map<Address, string>() : await lastChanges(involved)
    const leftOut = known.flatMap(({ wallet, scope }) => leftOutOf(scope).filter((part) => part.wallet === wallet))
    return {
      scopes,
      withoutHistory: found.flatMap(({ wallet, scope }) => (scope ? [] : [wallet])),
      leftOut,
      version: [
        ...leftOut.map(({ wallet, chain, reason }) => `${wallet} ${chain} ${reason}`),
        ...scopes.flatMap(({ scope }) => [scope.key, ...keysOf(scope)]),
        ...involved.map((wallet) => `${wallet}:${changes.get(wallet) ?? '0'}`),
      ].join(' '),
    }
  }

  /** `edges`: Unix seconds, ascending. */
  async function sums(
    { scopes }: Pick<PnlScopes, 'scopes'>,
    method: Method,
    edges: readonly number[],
  ): Promise<PnlSums[]> {
    let reached = edges.map(() => NO_SUMS)
    for (const { scope, wallets } of scopes) {
      const own = await sumsAt(scope, wallets, method, edges)
      reached = reached.map((sum, i) => addSums(sum, own[i] ?? NO_SUMS))
    }
    return reached.slice(1).map((after, i) => sumsSince(reached[i] ?? NO_SUMS, after))
  }

  async function sumsAt(scope: Scope, wallets: readonly Address[], method: Method, edges: readonly number[]) {
    const reached: PnlSums[] = []
    let state = emptyState(method)
    for await (const booked of walk(means, scope, method, edges)) {
      while (reached.length < booked.span) reached.push(sumsOf(state, wallets))
      state = booked.state
    }
    while (reached.length < edges.length) reached.push(sumsOf(state, wallets))
    return reached
  }

  async function* lots(
    { scopes }: Pick<PnlScopes, 'scopes'>,
    method: Method,
    span: Span,
  ): AsyncGenerator<PnlPart, void, undefined> {
    for (const { scope, wallets } of scopes) yield* lotsOf(scope, wallets, method, span)
  }

  async function* lotsOf(scope: Scope, wallets: readonly Address[], method: Method, { from, to }: Span) {
    const isAsked = ({ wallet }: { wallet: Address }) => wallets.includes(wallet)
    const origins = method === 'AVG' ? null : createOrigins()
    const units = createLastUnits()
    let state = emptyState(method)
    for await (const booked of walk(means, scope, method, [from, to])) {
      state = booked.state
      origins?.note(booked.entries, booked.results)
      units.note(booked.entries)
      if (booked.span === 1) yield { ...happened(booked, origins, isAsked), open: [] }
      origins?.sweep(state)
    }
    for (const open of batches(openLots(state, origins, units), isAsked)) yield { sold: [], earned: [], open }
  }

  return { findScopes, sums, lots }
}

const leftOutOf = ({ parts, elsewhere }: Scope): LeftOut[] => [
  ...elsewhere.map((part) => ({ ...part, reason: 'no-history' as const })),
  ...parts.flatMap((part) =>
    chainGapsOf(part).map(({ reason }) => ({ wallet: part.wallet, chain: part.chain, reason })),
  ),
]

/** `span`: number of edges at or before the entries. */
async function* walk(means: ReplayMeans, scope: Scope, method: Method, edges: readonly number[]) {
  const replay = createReplay(emptyState(method))
  const spanOf = ([{ time }]: Rows) => edges.filter((edge) => edge <= time).length
  for await (const page of readEntries(means, scope)) {
    for (const [span, groups] of Map.groupBy(groupEntries(page.entries), spanOf)) {
      if (span === edges.length) return
      for await (const booked of replay.book(groups, page)) yield { ...booked, span }
    }
  }
}

type Asked = (line: { wallet: Address }) => boolean

function happened({ entries, results }: Booked, origins: Origins, isAsked: Asked) {
  const pairs = entries.flatMap((entry, i) => {
    const result = results[i]
    return result && isAsked(entry) ? [{ entry, result }] : []
  })
  return {
    sold: pairs.flatMap(({ entry, result }) => soldLots(entry, result, origins)),
    earned: pairs.flatMap(({ entry, result }) => earnedUnits(entry, result)),
  }
}

function* batches(lots: Iterable<OpenLot>, isAsked: Asked): Generator<OpenLot[]> {
  let batch: OpenLot[] = []
  for (const lot of lots) {
    if (isAsked(lot)) batch.push(lot)
    if (batch.length < OPEN_AT_ONCE) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
