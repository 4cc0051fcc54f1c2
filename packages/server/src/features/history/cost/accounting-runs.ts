import { emptyState } from '../../../domain/accounting/state.ts'
import type { Address } from '../../../domain/address.ts'
import { dayOf, nextDay } from '../../../domain/day.ts'
import { createSingleFlight } from '../../../lib/single-flight.ts'
import {
  type Accounted,
  type AccountingStore,
  keysOf,
  type Scope,
  type TokenOf,
  walletsOf,
} from './accounting-store.ts'
import { type ReplayMeans, readEntries, tokensOf } from './replay.ts'
import { createDayRun } from './run-days.ts'

/** A run restarts if another is stored meanwhile. */
const ATTEMPTS = 5

export type RunDependencies = Pick<ReplayMeans, 'factsOf'> & {
  store: AccountingStore
  lastChanges(wallets: readonly Address[]): Promise<ReadonlyMap<Address, string>>
  /** Earliest moment affected by changes after `seen`, in Unix seconds. */
  changedSince(wallet: Address, seen: string): Promise<number | undefined>
}

/** Recomputes only from the first changed day on. */
export function createAccountingRuns({ store, lastChanges, changedSince, factsOf }: RunDependencies) {
  const flights = createSingleFlight<void>()

  /** Retries if another run stored the scope with another method or wallets. */
  async function upToDate<T extends Accounted>(scope: Scope, read: () => Promise<T | undefined>): Promise<T> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      await bringUpToDate(scope)
      const found = await read()
      if (found && isOf(found, scope)) return found
    }
    throw contested(scope)
  }

  /** Equal questions share one run. */
  async function bringUpToDate(scope: Scope): Promise<void> {
    const changes = await changesOf(scope)
    const question = [scope.key, scope.method, ...[...changes].map((change) => change.join(':'))]
    await flights.run(question.join(' '), async () => {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) if (await advance(scope, changes)) return
      throw contested(scope)
    })
  }

  /** Keyed by `keysOf`. */
  async function changesOf(scope: Scope): Promise<ReadonlyMap<string, string>> {
    const changes = await lastChanges(walletsOf(scope))
    return new Map(keysOf(scope).map((key) => [key, changes.get(walletOf(key)) ?? '0']))
  }

  /** Returns false if the continued state was replaced. */
  async function advance(scope: Scope, changes: ReadonlyMap<string, string>): Promise<boolean> {
    const known = await store.find(scope.key)
    const from = await firstChangedDay(scope, known, changes)
    return (known && from === null) || compute(scope, known, from ?? undefined, changes)
  }

  /** `null`: nothing changed. `undefined`: recompute everything. */
  async function firstChangedDay(
    scope: Scope,
    known: Accounted | undefined,
    changes: ReadonlyMap<string, string>,
  ): Promise<string | null | undefined> {
    if (!known || !isOf(known, scope) || (await isToldNow(known.lacking))) return undefined
    const changed = [...known.seen].filter(([key, seen]) => changes.get(key) !== seen)
    const moments = await Promise.all(changed.map(([key, seen]) => changedSince(walletOf(key), seen)))
    const since = moments.filter((moment) => moment !== undefined)
    return since.length === 0 ? null : dayOf(Math.min(...since))
  }

  async function isToldNow(lacking: readonly TokenOf[]): Promise<boolean> {
    if (lacking.length === 0) return false
    const facts = await factsOf(lacking)
    return lacking.some(({ chain, token }) => facts(chain, token).decimals !== undefined)
  }

  async function compute(
    scope: Scope,
    known: Accounted | undefined,
    changedDay: string | undefined,
    seen: ReadonlyMap<string, string>,
  ): Promise<boolean> {
    const before = changedDay === undefined ? undefined : await store.stateBefore(scope.key, changedDay)
    const from = before && nextDay(before.day)
    const run = createDayRun(before?.state ?? emptyState(scope.method))
    let lacking: TokenOf[] = []
    for await (const { entries, facts, doubts } of readEntries({ store, factsOf }, scope, from)) {
      await run.carry(entries, facts, doubts)
      const counted = tokensOf(entries.filter(({ token_id }) => token_id === null))
      lacking = union(
        lacking,
        counted.filter(({ chain, token }) => facts(chain, token).decimals === undefined),
      )
    }
    const { state, days, results } = run.end()
    const goesOn = known && from !== undefined ? { from, revision: known.revision } : undefined
    return store.save(scope, goesOn, {
      seen,
      state,
      days,
      results,
      lacking: goesOn && known ? union(known.lacking, lacking) : lacking,
    })
  }

  return { upToDate }
}

const contested = ({ key }: Scope) => new Error(`cost and PnL of ${key} are worked out in several ways at once`)

function isOf({ method, seen }: Accounted, scope: Scope): boolean {
  const keys = keysOf(scope)
  return method === scope.method && seen.size === keys.length && keys.every((key) => seen.has(key))
}

const walletOf = (key: string) => key.slice(0, key.indexOf(' ')) as Address

const union = (a: readonly TokenOf[], b: readonly TokenOf[]) => tokensOf([...a, ...b])
