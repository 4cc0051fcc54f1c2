import {
  createLastUnits,
  type EarnedUnits,
  earnedUnits,
  type OpenLot,
  openLots,
  type SoldLot,
  soldLots,
} from '../../../domain/accounting/lot-lines.ts'
import { emptyState, type Method } from '../../../domain/accounting/state.ts'
import { takeState, toWorkingState, type WorkingState } from '../../../domain/accounting/working-state.ts'
import type { Address } from '../../../domain/address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { lazyPagesOf } from '../../../lib/pages.ts'
import type { ChainGap } from '../../portfolio/wallet-figures.ts'
import type { CostContext } from '../context.ts'
import type { Rows } from '../cost/accounting-entries.ts'
import { chainGapsOf, keysOf, type Scope } from '../cost/accounting-store.ts'
import { type Booked, readEntries, replay } from '../cost/replay.ts'
import { walletsOf } from '../cost/stored-entries.ts'
import { lastChanges } from '../store/history-changes.ts'

// Replays histories from the first entry. Memory holds a page of entries and the lots.

type LeftOut = WalletOnChain & { reason: 'no-history' | ChainGap['reason'] }

export type PnlScopes = {
  scopes: readonly { scope: Scope; wallets: readonly Address[] }[]
  /** No chain has a complete history. */
  withoutHistory: readonly Address[]
  leftOut: readonly LeftOut[]
  /** Changes with the histories of the scopes. */
  version: string
}

type ScopedWallets = PnlScopes['scopes'][number]

/** Unix seconds; `to` is exclusive. */
type Span = { from: number; to: number }

/** By time within each scope, open lots last. In USD. Under average cost lots have no origin. */
export type PnlPart = { sold: readonly SoldLot[]; earned: readonly EarnedUnits[]; open: readonly OpenLot[] }

const OPEN_AT_ONCE = 1_000

export async function findScopes(
  { db, scopeOf }: CostContext,
  accountId: string,
  wallets: readonly Address[],
): Promise<PnlScopes> {
  const found = await Promise.all(
    [...new Set(wallets)].map(async (wallet) => ({ wallet, scope: await scopeOf(accountId, wallet) })),
  )
  const known = found.flatMap(({ wallet, scope }) => (scope ? [{ wallet, scope }] : []))
  const scopes = [...Map.groupBy(known, ({ scope }) => scope.key).values()].flatMap((group) =>
    group.slice(0, 1).map(({ scope }) => ({ scope, wallets: group.map(({ wallet }) => wallet) })),
  )
  const involved = [...new Set(scopes.flatMap(({ scope }) => walletsOf(scope)))]
  const changes = involved.length === 0 ? new Map<Address, string>() : await lastChanges(db, involved)
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

const leftOutOf = ({ parts, elsewhere }: Scope): LeftOut[] => [
  ...elsewhere.map((part) => ({ ...part, reason: 'no-history' as const })),
  ...parts.flatMap((part) =>
    chainGapsOf(part).map(({ reason }) => ({ wallet: part.wallet, chain: part.chain, reason })),
  ),
]

export async function* lotsOf(costContext: CostContext, { scopes }: PnlScopes, method: Method, span: Span) {
  for (const scoped of scopes) yield* lotsOfScope(costContext, scoped, method, span)
}

async function* lotsOfScope(
  costContext: CostContext,
  { scope, wallets }: ScopedWallets,
  method: Method,
  { from, to }: Span,
) {
  const keepsLots = method !== 'AVG'
  const units = createLastUnits()
  const working = toWorkingState(emptyState(method))
  for await (const booked of walk(costContext, scope, working, [from, to])) {
    units.note(booked.entries)
    if (booked.group === 1) yield { ...happened(booked, keepsLots, wallets), open: [] }
  }
  for (const page of lazyPagesOf(openLots(takeState(working), keepsLots, units), OPEN_AT_ONCE)) {
    yield { sold: [], earned: [], open: page.filter(({ wallet }) => wallets.includes(wallet)) }
  }
}

/** Groups by the number of edges at or before the entries; ends at the last edge. */
async function* walk(costContext: CostContext, scope: Scope, working: WorkingState, edges: readonly number[]) {
  function spanOf([{ time }]: Rows) {
    const passed = edges.filter((edge) => edge <= time).length
    return passed < edges.length ? passed : undefined
  }
  yield* replay(readEntries(costContext, scope), working, spanOf)
}

function happened({ entries, results }: Booked<number>, keepsLots: boolean, wallets: readonly Address[]) {
  const pairs = entries.flatMap((entry, i) => {
    const result = results[i]
    return result && wallets.includes(entry.wallet) ? [{ entry, result }] : []
  })
  return {
    sold: pairs.flatMap(({ entry, result }) => soldLots(entry, result, keepsLots)),
    earned: pairs.flatMap(({ entry, result }) => earnedUnits(entry, result)),
  }
}
