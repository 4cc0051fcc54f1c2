import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from '../../../db/tables.ts'
import { emptyState, type Pool, type WalletTotals } from '../../../domain/accounting/state.ts'
import { addWallets, toWorkingState } from '../../../domain/accounting/working-state.ts'
import type { Address } from '../../../domain/address.ts'
import { dayOf, nextDay } from '../../../domain/day.ts'
import { decimalOrNull, fromRaw, sum } from '../../../domain/decimal.ts'
import type { ChainGap, TokenGap } from '../../portfolio/wallet-figures.ts'
import type { CostContext, CostsOf, TokenOnChain } from '../context.ts'
import { changedSince, lastChanges } from '../store/history-changes.ts'
import type { TransactionBasis } from '../transactions/present-transaction.ts'
import type { ListedTransaction } from '../transactions/transaction-store.ts'
import { placeOf } from './accounting-entries.ts'
import {
  type Accounted,
  chainGapsOf,
  endLease,
  findAccounted,
  findGaps,
  findResults,
  findState,
  keysOf,
  leaseAccounted,
  type Part,
  type Scope,
  type StoredResult,
  saveComputed,
  stateAfter,
} from './accounting-store.ts'
import { readEntries, runDays } from './replay.ts'
import { FIRST_DAY, walletsOf } from './stored-entries.ts'

/** `missing`: chains not fully searched and priced. */
export type WalletCosts = {
  version: string
  totals: WalletTotals | undefined
  pools: readonly Pool[]
  missing: readonly string[]
  chainGaps: readonly ChainGap[]
  gaps: readonly TokenGap[]
}

export async function findCosts(
  costContext: CostContext,
  accountId: string,
  wallet: Address,
): Promise<WalletCosts | undefined> {
  const scope = await costContext.scopeOf(accountId, wallet)
  if (!scope) return undefined
  const { revision, state } = await upToDate(costContext, { accountId, wallet, scope }, (db) =>
    findState(db, scope.key, [wallet]),
  )
  const isOfWallet = (of: { wallet: Address }) => of.wallet === wallet
  const parts = scope.parts.filter(isOfWallet)
  const chainGaps = parts.flatMap(chainGapsOf)
  return {
    missing: scope.elsewhere.filter(isOfWallet).map(({ chain }) => chain),
    chainGaps,
    gaps: await findTokenGaps(costContext, parts),
    version: `${scope.key} ${scope.method} ${revision} ${chainGaps.map(({ block }) => block).join(' ')}`,
    totals: state.wallets.get(wallet),
    pools: state.pools,
  }
}

async function findTokenGaps({ db, factsOf }: CostContext, parts: readonly Part[]): Promise<TokenGap[]> {
  const found = [...(await findGaps(db, walletsOf({ parts }))).values()]
  const facts = await factsOf(found)
  return parts.flatMap(({ chain, native, nativeFrom }): TokenGap[] => {
    const gaps = found.filter((gap) => gap.chain === chain)
    const isUnsearched = nativeFrom !== null && gaps.every(({ token }) => token !== native)
    return [
      ...(isUnsearched
        ? [{ chain, token: native, reason: 'native-unsearched' as const, block: nativeFrom, amount: null }]
        : []),
      ...gaps.map(({ token, block, amountRaw }): TokenGap => {
        const { decimals } = facts(chain, token)
        const amount = decimals === undefined ? null : fromRaw(amountRaw, decimals)
        if (token !== native) return { chain, token, reason: 'gap', block, amount }
        return { chain, token, reason: 'native-unexplained', block: nativeFrom ?? block, amount }
      }),
    ]
  })
}

/** undefined: the history on the chain is incomplete. `waits`: for the end of a long run. */
export async function findBasis(
  costContext: CostContext,
  accountId: string,
  rows: readonly ListedTransaction[],
  waits = false,
): Promise<(row: ListedTransaction) => TransactionBasis | 'computing' | undefined> {
  const ofWallets = [...Map.groupBy(rows, ({ wallet }) => wallet)].map(async ([wallet, ofIt]) => {
    const scope = await costContext.scopeOf(accountId, wallet)
    if (!scope) return []
    const accounted = await resultsOf(costContext, { accountId, wallet, scope }, ofIt, waits)
    const chains = scope.parts.flatMap((part) => (part.wallet === wallet ? [part.chain] : []))
    return [[wallet, { chains, results: accounted && Map.groupBy(accounted.results, placeOf) }] as const]
  })
  const known = new Map((await Promise.all(ofWallets)).flat())
  return (row) => {
    const ofIt = known.get(row.wallet)
    if (!ofIt?.chains.includes(row.chain)) return undefined
    return ofIt.results ? basisOf(ofIt.results.get(placeOf(row)) ?? []) : 'computing'
  }
}

async function resultsOf(costContext: CostContext, of: Scoped, rows: readonly ListedTransaction[], waits: boolean) {
  const read = () => upToDate(costContext, of, (db) => findResults(db, of.scope.key, rows))
  return waits ? whenComputed(read) : read().catch(undefinedWhileComputing)
}

function undefinedWhileComputing(thrown: unknown): undefined {
  if (!(thrown instanceof StillComputing)) throw thrown
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

/** Another scope of the same key may be stored meanwhile. */
const ATTEMPTS = 5
/** Until another process's run is looked at again; for its first page, or its end. */
const LOOK_AGAIN_MS = 200
const WAIT_MS = 2_000

/** A job computes the figures, page by page. */
export class StillComputing extends Error {
  override readonly name = 'StillComputing'

  /** The first day that is not computed yet. */
  readonly next: string

  constructor(next: string) {
    super()
    this.next = next
  }
}

/** Waits for the end of a long run. */
export async function whenComputed<T extends object>(read: () => Promise<T>): Promise<T> {
  for (;;) {
    const found = await read().catch(undefinedWhileComputing)
    if (found) return found
    await delay(WAIT_MS)
  }
}

export type Scoped = { accountId: string; wallet: Address; scope: Scope }

export async function upToDate<T extends Accounted>(
  costContext: CostContext,
  of: Scoped,
  read: (db: Db) => Promise<T | undefined>,
) {
  const { scope } = of
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    await bringUpToDate(costContext, of)
    const found = await read(costContext.db)
    if (found && found.next === null && isOf(found, scope)) return found
  }
  throw new Error(`cost and PnL of ${scope.key} are worked out in several ways at once`)
}

/** Equal questions share one run. A run that needs more than a page continues as a job. */
async function bringUpToDate(costContext: CostContext, { accountId, wallet, scope }: Scoped): Promise<void> {
  const changes = await changesOf(costContext, scope)
  const question = [scope.key, scope.method, ...[...changes].map((change) => change.join(':'))]
  const onPage = (next: string) => Promise.reject(new StillComputing(next))
  const run = async () => {
    while (!(await advance(costContext, scope, changes, onPage))) await delay(LOOK_AGAIN_MS)
  }
  await costContext.runs.run(question.join(' '), run).catch(async (thrown: unknown) => {
    if (thrown instanceof StillComputing) {
      await costContext.computeLater(scope.key, { accountId, wallet, method: scope.method })
    }
    throw thrown
  })
}

/** The job: all pages. Waits for the end of another run, whose process may have died. */
export async function computeCosts(
  costContext: CostContext,
  signal: AbortSignal,
  { accountId, wallet, method }: CostsOf,
): Promise<void> {
  const onPage = async () => signal.throwIfAborted()
  for (;;) {
    const scope = await costContext.scopeOf(accountId, wallet, method)
    if (!scope) return
    const changes = await changesOf(costContext, scope)
    const isDone = await advance(costContext, scope, changes, onPage).catch(undefinedWhileComputing)
    if (isDone) return
    await delay(WAIT_MS, undefined, { signal })
  }
}

/** Keyed by `keysOf`. */
type Changes = ReadonlyMap<string, string>

async function changesOf({ db }: CostContext, scope: Scope): Promise<Changes> {
  const last = await lastChanges(db, walletsOf(scope))
  return new Map(keysOf(scope).map((key) => [key, last.get(walletOf(key)) ?? '0']))
}

/** After each commit but the last. Ends the run by throwing. */
type OnPage = (next: string) => Promise<void>

/** False: another run has the lease, or has replaced this one. Throws `StillComputing` once that has a page. */
async function advance(costContext: CostContext, scope: Scope, changes: Changes, onPage: OnPage): Promise<boolean> {
  const known = await findAccounted(costContext.db, scope.key)
  if (known && (await firstChangedDay(costContext, scope, known, changes)) === null) return true
  const leased = await leaseAccounted(costContext.db, scope)
  if (!leased && known && known.next !== null && known.next !== FIRST_DAY) throw new StillComputing(known.next)
  return leased ? compute(costContext, scope, { known: leased, seen: changes, onPage }) : false
}

/** `null`: nothing changed. `undefined`: recompute everything. */
async function firstChangedDay(costContext: CostContext, scope: Scope, known: Accounted, changes: Changes) {
  if (!isOf(known, scope) || (await isReportedNow(costContext, known.lacking))) return undefined
  const changed = [...known.seen].filter(([key, seen]) => changes.get(key) !== seen)
  const moments = await Promise.all(changed.map(([key, seen]) => changedSince(costContext.db, walletOf(key), seen)))
  const days = moments.flatMap((moment) => (moment === undefined ? [] : [dayOf(moment)]))
  return [...days, known.next].filter((day) => day !== null).toSorted()[0] ?? null
}

async function isReportedNow({ factsOf }: CostContext, lacking: readonly TokenOnChain[]): Promise<boolean> {
  if (lacking.length === 0) return false
  const facts = await factsOf(lacking)
  return lacking.some(({ chain, token }) => facts(chain, token).decimals !== undefined)
}

type Computing = { known: Accounted; seen: Changes; onPage: OnPage }

/** Saves each page: the next run continues from the last one. */
async function compute(costContext: CostContext, scope: Scope, { known, seen, onPage }: Computing) {
  let { revision } = known
  try {
    const changedDay = await firstChangedDay(costContext, scope, known, seen)
    if (changedDay === null) {
      // Another run has ended since the first look.
      await endLease(costContext.db, scope.key, revision)
      return true
    }
    let days = known.days.filter((day) => changedDay !== undefined && day < changedDay)
    const before = days.at(-1)
    const { working, pages } = await resume(costContext, scope, before)
    let lacking = before === undefined ? [] : known.lacking
    for await (const page of pages) {
      const computed = await runDays(page, { working, days })
      lacking = distinct([...lacking, ...computed.lacking])
      if (!(await saveComputed(costContext, scope, revision, page, { ...computed, lacking, seen }))) return false
      days = computed.days
      revision += 1n
      if (page.until !== null) await onPage(page.until)
    }
  } catch (error) {
    await endLease(costContext.db, scope.key, revision).catch(() => undefined)
    throw error
  }
  return true
}

/** From the state after `day`. Loads the state of `wallets` and of those with entries: the others stay as they are stored. */
export async function resume(
  costContext: CostContext,
  scope: Scope,
  day: string | undefined,
  wallets: readonly Address[] = [],
) {
  const stateOf = async (wallets: readonly Address[]) =>
    day === undefined ? emptyState(scope.method) : stateAfter(costContext.db, scope, wallets, day)
  const working = toWorkingState(await stateOf(wallets))
  const loaded = new Set(wallets)
  async function* pages() {
    for await (const page of readEntries(costContext, scope, day && nextDay(day))) {
      const involved = [...page.entries, ...working.transit].map(({ wallet }) => wallet)
      const missing = [...new Set(involved)].filter((wallet) => !loaded.has(wallet))
      for (const wallet of missing) loaded.add(wallet)
      addWallets(working, await stateOf(missing))
      yield page
    }
  }
  return { working, pages: pages() }
}

const distinct = (tokens: readonly TokenOnChain[]) => [
  ...new Map(tokens.map((of) => [`${of.chain} ${of.token}`, of])).values(),
]

function isOf({ method, seen }: Accounted, scope: Scope): boolean {
  const keys = keysOf(scope)
  return method === scope.method && seen.size === keys.length && keys.every((key) => seen.has(key))
}

const walletOf = (key: string) => key.slice(0, key.indexOf(' ')) as Address
