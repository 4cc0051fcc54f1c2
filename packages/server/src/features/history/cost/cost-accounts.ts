import { emptyState, type Pool, type WalletTotals } from '../../../domain/accounting/state.ts'
import type { Address } from '../../../domain/address.ts'
import { dayOf, nextDay } from '../../../domain/day.ts'
import { decimalOrNull, fromRaw, sum } from '../../../domain/decimal.ts'
import { createSingleFlight } from '../../../lib/single-flight.ts'
import type { ChainGap, TokenGap } from '../../portfolio/wallet-figures.ts'
import type { TransactionBasis } from '../transactions/present-transaction.ts'
import type { ListedTransaction } from '../transactions/transaction-store.ts'
import { placeOf } from './accounting-entries.ts'
import {
  type Accounted,
  type AccountingStore,
  chainGapsOf,
  keysOf,
  type Part,
  type Scope,
  type StoredResult,
  type TokenOf,
  walletsOf,
} from './accounting-store.ts'
import { type ReplayMeans, readEntries, tokensOf } from './replay.ts'
import { createDayRun } from './run-days.ts'

/** `missing`: chains not fully searched and priced. */
type WalletCosts = {
  version: string
  totals: WalletTotals | undefined
  pools: readonly Pool[]
  missing: readonly string[]
  chainGaps: readonly ChainGap[]
  gaps: readonly TokenGap[]
}

/** undefined: the history on the chain is incomplete. */
export type FindBasis = (
  accountId: string,
  rows: readonly ListedTransaction[],
) => Promise<(row: ListedTransaction) => TransactionBasis | undefined>

export type CostAccounts = ReturnType<typeof createCostAccounts>

export function createCostAccounts({
  scopeOf,
  ...means
}: RunDependencies & {
  /** undefined: no history of the wallet is complete. */
  scopeOf(accountId: string, wallet: Address): Promise<Scope | undefined>
}) {
  const { store } = means
  const { upToDate } = createAccountingRuns(means)

  async function find(accountId: string, wallet: Address): Promise<WalletCosts | undefined> {
    const scope = await scopeOf(accountId, wallet)
    if (!scope) return undefined
    const { seen, state } = await upToDate(scope, () => store.findState(scope.key))
    const isOfWallet = (of: { wallet: Address }) => of.wallet === wallet
    const chainGaps = scope.parts.filter(isOfWallet).flatMap(chainGapsOf)
    return {
      missing: scope.elsewhere.filter(isOfWallet).map(({ chain }) => chain),
      chainGaps,
      gaps: await tokenGaps(scope.parts.filter(isOfWallet)),
      version: `${scope.key} ${scope.method} ${[...seen].join(' ')} ${chainGaps.map(({ block }) => block).join(' ')}`,
      totals: state.wallets.get(wallet),
      pools: state.pools.filter(isOfWallet),
    }
  }

  async function tokenGaps(parts: readonly Part[]): Promise<TokenGap[]> {
    const found = await store.gaps(walletsOf({ parts }))
    const facts = await means.factsOf([...found.values()])
    return parts.flatMap(({ chain, native, nativeFrom }) => {
      const ofChain = [...found.values()].filter((gap) => gap.chain === chain)
      const natives = nativeFrom === null || ofChain.some(({ token }) => token === native) ? [] : [nativeFrom]
      return [
        ...natives.map(
          (block): TokenGap => ({ chain, token: native, reason: 'native-unsearched', block, amount: null }),
        ),
        ...ofChain.map(({ token, block, amountRaw }): TokenGap => {
          const { decimals } = facts(chain, token)
          const amount = decimals === undefined ? null : fromRaw(amountRaw, decimals)
          if (token !== native) return { chain, token, reason: 'gap', block, amount }
          return { chain, token, reason: 'native-unexplained', block: nativeFrom ?? block, amount }
        }),
      ]
    })
  }

  const findBasis: FindBasis = async (accountId, rows) => {
    const byWallet = Map.groupBy(rows, ({ wallet }) => wallet)
    const ofWallet = await Promise.all(
      [...byWallet].map(async ([wallet, ofIt]) => {
        const scope = await scopeOf(accountId, wallet)
        if (!scope) return []
        const { results } = await upToDate(scope, () => store.findResults(scope.key, ofIt))
        const chains = scope.parts.flatMap((part) => (part.wallet === wallet ? [part.chain] : []))
        return [[wallet, { chains, results: Map.groupBy(results, placeOf) }] as const]
      }),
    )
    const known = new Map(ofWallet.flat())
    return (row) => {
      const ofIt = known.get(row.wallet)
      return ofIt?.chains.includes(row.chain) ? basisOf(ofIt.results.get(placeOf(row)) ?? []) : undefined
    }
  }

  return { find, findBasis }
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

/** A run restarts if another is stored meanwhile. */
const ATTEMPTS = 5

type RunDependencies = Pick<ReplayMeans, 'factsOf'> & {
  store: AccountingStore
  lastChanges(wallets: readonly Address[]): Promise<ReadonlyMap<Address, string>>
  /** Earliest moment affected by changes after `seen`, in Unix seconds. */
  changedSince(wallet: Address, seen: string): Promise<number | undefined>
}

/** Recomputes only from the first changed day on. */
function createAccountingRuns({ store, lastChanges, changedSince, factsOf }: RunDependencies) {
  const flights = createSingleFlight<void>()

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
