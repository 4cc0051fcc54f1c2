import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Entry } from '../../../domain/accounting/entry.ts'
import type { EntryResult } from '../../../domain/accounting/result.ts'
import { postEntries } from '../../../domain/accounting/run.ts'
import { partsBetween } from '../../../domain/accounting/state-json.ts'
import { takeState, type WorkingState } from '../../../domain/accounting/working-state.ts'
import { dayOf } from '../../../domain/day.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import type { CostContext, TokenOnChain } from '../context.ts'
import { type Doubts, entryOf, type FactsOf, groupEntries, type Rows, resultsOf } from './accounting-entries.ts'
import {
  type Computed,
  findGaps,
  type Gap,
  gapKey,
  type Scope,
  type ScopeParts,
  type StoredResult,
} from './accounting-store.ts'
import { type Days, type StoredEntry, storedEntries, walletsOf } from './stored-entries.ts'

/** Some ten milliseconds of work. */
const ENTRIES_A_TURN = 1_000

export type EntryPage = Days & { entries: readonly StoredEntry[]; facts: FactsOf; doubts: Doubts }

export async function* readEntries({ db, factsOf }: CostContext, scope: Scope, from?: string) {
  const doubts = doubtsOf(scope, await findGaps(db, walletsOf(scope)))
  for await (const page of storedEntries(db, scope.parts, from)) {
    yield { ...page, facts: await factsOf(page.entries), doubts } satisfies EntryPage
  }
}

export type Booked<G> = {
  group: G
  rows: readonly Rows[]
  facts: FactsOf
  entries: readonly Entry[]
  results: readonly EntryResult[]
  /** The last part of the group in its page. */
  endsGroup: boolean
}

/** Posts to `working` until a group is undefined. Yields to the event loop so that other requests proceed. */
export async function* replay<G>(
  pages: AsyncIterable<EntryPage> | Iterable<EntryPage>,
  working: WorkingState,
  groupOf: (rows: Rows) => G | undefined,
): AsyncGenerator<Booked<G>, void, undefined> {
  let sinceTurn = 0
  for await (const { entries: stored, facts, doubts } of pages) {
    const parts = partsOf(groupEntries(stored), groupOf)
    for (const [i, [group, rows]] of parts.entries()) {
      const entries = rows.map((each) => entryOf(each, facts, doubts))
      if (group === undefined) return
      const endsGroup = parts[i + 1]?.[0] !== group
      yield { group, rows, facts, entries, results: postEntries(working, entries), endsGroup }
      sinceTurn += rows.length
      if (sinceTurn < ENTRIES_A_TURN) continue
      sinceTurn = 0
      await nextTurn()
    }
  }
}

/** Posts the entries before a moment (Unix seconds). */
export async function postUntil(pages: AsyncIterable<EntryPage>, working: WorkingState, at: number): Promise<void> {
  const posted = replay(pages, working, ([{ time }]) => time < at || undefined)
  while (!(await posted.next()).done);
}

/** Keeps each transaction together, also across wallets. */
function partsOf<G>(entries: readonly Rows[], groupOf: (rows: Rows) => G): [group: G, part: Rows[]][] {
  return [...Map.groupBy(entries, groupOf)].flatMap(([group, ofGroup]) => {
    const parts: [G, Rows[]][] = []
    for (const [i, rows] of ofGroup.entries()) {
      const part = parts.at(-1)?.[1]
      const isFull = !part || part.length >= ENTRIES_A_TURN
      if (part && (!isFull || isSameTransaction(ofGroup[i - 1], rows))) part.push(rows)
      else parts.push([group, [rows]])
    }
    return parts
  })
}

const isSameTransaction = (before: Rows | undefined, [{ chain, hash }]: Rows): boolean =>
  hash !== null && before?.[0].hash === hash && before[0].chain === chain

export function doubtsOf({ parts, elsewhere }: ScopeParts, gaps: ReadonlyMap<string, Gap>): Doubts {
  const known = new Map(parts.map((part) => [placeOf(part), part]))
  const unknown = new Set(elsewhere.map(placeOf))
  const incomplete = new Set(
    [...elsewhere, ...parts.filter(({ keptFrom }) => keptFrom !== null)].map((of) => of.wallet),
  )
  return {
    hasGap: (row) => gaps.has(gapKey(row)),
    isNative: (row) => row.token === known.get(placeOf(row))?.native,
    isDoubted(row) {
      const part = known.get(placeOf(row))
      if (!part) return false
      if (row.token === part.native) return part.nativeFrom !== null && row.block >= part.nativeFrom
      return part.lostFrom !== null && row.block >= part.lostFrom && gaps.has(gapKey(row))
    },
    isFromElsewhere({ wallet, chain, counterparty, treatment, amount, block }) {
      if (amount.startsWith('-')) return false
      if (treatment === 'bridge') return incomplete.has(wallet)
      if (treatment !== 'acquire' || counterparty === null) return false
      const sender = placeOf({ wallet: counterparty, chain })
      return unknown.has(sender) || block < (known.get(sender)?.keptFrom ?? 0n)
    },
  }
}

const placeOf = ({ wallet, chain }: WalletOnChain) => `${wallet} ${chain}`

/** Older months keep their last day, pages before the last one their last, from which a run continues. */
const DAYS_KEPT = 8

/** After the earlier pages. `days`: those of earlier pages whose states are stored. */
export type Run = { working: WorkingState; days: readonly string[] }

export async function runDays(page: EntryPage, { working, days: earlier }: Run) {
  const lacking = new Map<string, TokenOnChain>()
  const results: StoredResult[] = []
  const states: Computed['states'][number][] = []
  const all = new Set([...earlier, ...page.entries.map(({ time }) => dayOf(time))])
  const days = keptDays([...all], page.until === null ? DAYS_KEPT : 1)
  let stored = takeState(working)
  for await (const { group: day, rows, facts, ...ran } of replay([page], working, ([first]) => dayOf(first.time))) {
    results.push(...rows.flatMap((each, i) => resultsOf(each, ran.results[i])))
    for (const { chain, token, token_id } of rows.flat()) {
      const isLacking = token_id === null && facts(chain, token).decimals === undefined
      if (isLacking) lacking.set(`${chain} ${token}`, { chain, token })
    }
    if (!ran.endsGroup || !days.includes(day)) continue
    const state = takeState(working)
    states.push({ day, parts: partsBetween(stored, state) })
    stored = state
  }
  const dropped = earlier.flatMap((day) => {
    const into = days.find((kept) => kept >= day)
    return into === undefined || into === day ? [] : [{ day, into }]
  })
  return { days, states, dropped, results, lacking: [...lacking.values()] }
}

const keptDays = (days: readonly string[], recent: number) =>
  days.filter((day, i) => i >= days.length - recent || days[i + 1]?.slice(0, 7) !== day.slice(0, 7))
