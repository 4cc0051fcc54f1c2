import type { Entry } from '../../../domain/accounting/entry.ts'
import { type OpenLot, openLots } from '../../../domain/accounting/lot-lines.ts'
import type { EntryResult } from '../../../domain/accounting/result.ts'
import type { Method } from '../../../domain/accounting/state.ts'
import { takeState } from '../../../domain/accounting/working-state.ts'
import type { Address } from '../../../domain/address.ts'
import { dayOf } from '../../../domain/day.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { lazyPagesOf } from '../../../lib/pages.ts'
import type { ChainGap } from '../../portfolio/wallet-figures.ts'
import type { CostContext } from '../context.ts'
import type { Rows } from '../cost/accounting-entries.ts'
import { chainGapsOf, findAccounted, findRevision, keysOf, type Scope } from '../cost/accounting-store.ts'
import { resume, upToDate, whenComputed } from '../cost/cost-accounts.ts'
import { postUntil, replay } from '../cost/replay.ts'
import { findMultipliers, walletsOf } from '../cost/stored-entries.ts'
import { lastChanges } from '../store/history-changes.ts'

// Replays entries from the last state that is stored before a span. Memory holds a page of entries and the lots.

type LeftOut = WalletOnChain & { reason: 'no-history' | ChainGap['reason'] }

export type PnlScopes = {
  scopes: readonly { scope: Scope; wallets: readonly Address[] }[]
  /** No chain has a complete history. */
  withoutHistory: readonly Address[]
  leftOut: readonly LeftOut[]
  /** Changes with the histories of the scopes. */
  version: string
}

/** Unix seconds; `to` is exclusive. */
export type Span = { from: number; to: number }

/** `waits`: for the end of a long run, instead of `StillComputing`. */
export type Asked = { accountId: string; waits?: boolean }

/** `soldLots` or `earnedUnits`. */
type Lines<T> = (entry: Entry, result: EntryResult, keepsLots: boolean) => readonly T[]

const OPEN_AT_ONCE = 1_000

/** By default of the account's method. */
export async function findScopes(
  { db, scopeOf }: CostContext,
  accountId: string,
  wallets: readonly Address[],
  method?: Method,
): Promise<PnlScopes> {
  const found = await Promise.all(
    [...new Set(wallets)].map(async (wallet) => ({ wallet, scope: await scopeOf(accountId, wallet, method) })),
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

/** By time, scope by scope. Throws `Recomputed`. */
export async function* linesBetween<T>(
  costContext: CostContext,
  asked: Asked,
  { scopes }: PnlScopes,
  { from, to }: Span,
  linesOf: Lines<T>,
): AsyncGenerator<readonly T[], void, undefined> {
  for (const { scope, wallets } of scopes) {
    const { working, pages, check } = await openBooks(costContext, asked, scope, wallets, from)
    const isWithin = ([{ time }]: Rows) => (time < to ? time >= from : undefined)
    for await (const { group, entries, results } of replay(pages, working, isWithin)) {
      if (!group) continue
      yield entries.flatMap((entry, i) => {
        const result = results[i]
        return result && wallets.includes(entry.wallet) ? linesOf(entry, result, scope.method !== 'AVG') : []
      })
    }
    await check()
  }
}

/** Held before a moment (Unix seconds), scope by scope. Throws `Recomputed`. */
export async function* openLotsAt(
  costContext: CostContext,
  asked: Asked,
  { scopes }: PnlScopes,
  at: number,
): AsyncGenerator<readonly OpenLot[], void, undefined> {
  for (const { scope, wallets } of scopes) {
    const { working, pages, check } = await openBooks(costContext, asked, scope, wallets, at)
    await postUntil(pages, working, at)
    const multipliers = await findMultipliers(costContext.db, walletsOf(scope), at)
    await check()
    const lots = openLots(takeState(working), scope.method !== 'AVG', multipliers)
    for (const page of lazyPagesOf(lots, OPEN_AT_ONCE)) yield page.filter(({ wallet }) => wallets.includes(wallet))
  }
}

/** The states of a scope were replaced while they were read. */
export class Recomputed extends Error {
  override readonly name = 'Recomputed'
}

async function openBooks(
  costContext: CostContext,
  { accountId, waits = false }: Asked,
  scope: Scope,
  wallets: readonly Address[],
  at: number,
) {
  const { db } = costContext
  const [wallet = ''] = wallets
  const read = () => upToDate(costContext, { accountId, wallet, scope }, () => findAccounted(db, scope.key))
  const { days, revision } = await (waits ? whenComputed(read) : read())
  const day = days.findLast((stored) => stored < dayOf(at))
  async function check() {
    if ((await findRevision(db, scope.key)) !== revision) throw new Recomputed()
  }
  return { ...(await resume({ ...costContext, db: costContext.reads }, scope, day, wallets)), check }
}
