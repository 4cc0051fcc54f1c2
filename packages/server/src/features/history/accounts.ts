import { runEntries } from '../../domain/accounting/run.ts'
import { emptyState, type Pool, type State, type WalletTotals } from '../../domain/accounting/state.ts'
import type { Address } from '../../domain/address.ts'
import { dayOf, nextDay } from '../../domain/day.ts'
import { decimalOrNull, sum } from '../../domain/decimal.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import { entryOf, type FactsOf, groupEntries, placeOf, resultsOf } from './accounting-entries.ts'
import type { Accounted, AccountingStore, Scope, StoredEntry, StoredResult } from './accounting-store.ts'
import type { TransactionBasis } from './present-transaction.ts'
import type { ListedTransaction } from './transaction-store.ts'

/** What accounting says of one wallet. `version` changes with it. */
export type WalletAccounts = { version: string; totals: WalletTotals | undefined; pools: readonly Pool[] }

/** What accounting says of listed transactions; undefined where a wallet's history is not whole. */
export type FindBasis = (
  accountId: string,
  rows: readonly ListedTransaction[],
) => Promise<(row: ListedTransaction) => TransactionBasis | undefined>

export type Accounts = ReturnType<typeof createAccounts>

/** States that a run keeps: of its last days with an entry, and of older ones the last of each month. */
const DAYS_KEPT = 8

/** Cost basis and PnL of wallets, worked out from their histories and kept; only what changed is worked out anew. */
export function createAccounts({
  store,
  scopeOf,
  lastChanges,
  changedSince,
  factsOf,
}: {
  store: AccountingStore
  /** The wallets to be accounted for together with one; undefined while its history is not whole. */
  scopeOf(accountId: string, wallet: Address): Promise<Scope | undefined>
  /** By wallet the last change of its history. */
  lastChanges(wallets: readonly Address[]): Promise<ReadonlyMap<Address, string>>
  /** The earliest moment (Unix seconds) that a later change goes back to. */
  changedSince(wallet: Address, seen: string): Promise<number | undefined>
  factsOf(chains: ReadonlySet<string>): Promise<FactsOf>
}) {
  const flights = createSingleFlight<Accounted>()

  async function find(accountId: string, wallet: Address): Promise<WalletAccounts | undefined> {
    const scope = await scopeOf(accountId, wallet)
    if (!scope) return undefined
    const { seen } = await bringUpToDate(scope)
    const state = await store.getState(scope.key)
    return {
      version: `${scope.key} ${scope.method} ${[...seen].join(' ')}`,
      totals: state.wallets.get(wallet),
      pools: state.pools.filter((pool) => pool.wallet === wallet),
    }
  }

  function bringUpToDate(scope: Scope): Promise<Accounted> {
    return flights.run(scope.key, async () => {
      const changes = await lastChanges(scope.wallets)
      const known = await store.find(scope.key)
      const from = await firstChangedDay(scope, known, changes)
      if (known && from === null) return known
      return compute(scope, from ?? undefined, changes)
    })
  }

  /** `null`: nothing changed. `undefined`: all of it has to be worked out. */
  async function firstChangedDay(
    { wallets, method }: Scope,
    known: Accounted | undefined,
    changes: ReadonlyMap<Address, string>,
  ): Promise<string | null | undefined> {
    const isSame =
      known?.method === method && known.seen.size === wallets.length && wallets.every((w) => known.seen.has(w))
    if (!known || !isSame) return undefined
    const changed = wallets.filter((wallet) => known.seen.get(wallet) !== (changes.get(wallet) ?? '0'))
    const moments = await Promise.all(changed.map((wallet) => changedSince(wallet, known.seen.get(wallet) ?? '0')))
    const since = moments.filter((moment) => moment !== undefined)
    return since.length === 0 ? null : dayOf(Math.min(...since))
  }

  async function compute(
    scope: Scope,
    changedDay: string | undefined,
    changes: ReadonlyMap<Address, string>,
  ): Promise<Accounted> {
    const before = changedDay === undefined ? undefined : await store.stateBefore(scope.key, changedDay)
    const from = before && nextDay(before.day)
    const entries = await store.entries(scope.wallets, from)
    const facts = await factsOf(new Set(entries.map(({ chain }) => chain)))
    const { state, days, results } = runDays(entries, before?.state ?? emptyState(scope.method), facts)
    const seen = new Map(scope.wallets.map((wallet): [Address, string] => [wallet, changes.get(wallet) ?? '0']))
    await store.save(scope, from, { seen, state, days: keptDays(days), results })
    return { method: scope.method, seen }
  }

  const findBasis: FindBasis = async (accountId, rows) => {
    const byWallet = Map.groupBy(rows, ({ wallet }) => wallet)
    const ofWallet = await Promise.all(
      [...byWallet].map(async ([wallet, ofIt]) => {
        const scope = await scopeOf(accountId, wallet)
        if (!scope) return []
        await bringUpToDate(scope)
        const found = await store.results(scope.key, ofIt)
        return [[wallet, Map.groupBy(found, placeOf)] as const]
      }),
    )
    const known = new Map(ofWallet.flat())
    return (row) => {
      const results = known.get(row.wallet)
      return results && basisOf(results.get(placeOf(row)) ?? [])
    }
  }

  return { find, findBasis }
}

/** Day by day, with the state after each. */
function runDays(entries: readonly StoredEntry[], from: State, facts: FactsOf) {
  const days: { day: string; state: State }[] = []
  const results: StoredResult[] = []
  let state = from
  for (const [day, ofDay] of Map.groupBy(groupEntries(entries), ([first]) => dayOf(first.time))) {
    const ran = runEntries(
      ofDay.map((rows) => entryOf(rows, facts)),
      state,
    )
    state = ran.state
    days.push({ day, state })
    results.push(...ofDay.flatMap((rows, i) => resultsOf(rows, ran.results[i])))
  }
  return { state, days, results }
}

function basisOf(results: readonly Omit<StoredResult, 'time'>[]): TransactionBasis {
  const movements = results.map(({ place, costBasis, closedPnl }) => {
    return [place, { costBasis: decimalOrNull(costBasis), closedPnl: decimalOrNull(closedPnl) }] as const
  })
  const gains = movements.map(([, { closedPnl }]) => closedPnl)
  const known = gains.filter((gain) => gain !== null)
  return {
    closedPnl: known.length < gains.length ? null : sum(known),
    movements: new Map(movements),
  }
}

function keptDays<T extends { day: string }>(days: readonly T[]): T[] {
  const isLastOfMonth = (i: number) => days[i + 1]?.day.slice(0, 7) !== days[i]?.day.slice(0, 7)
  return days.filter((_, i) => i >= days.length - DAYS_KEPT || isLastOfMonth(i))
}
