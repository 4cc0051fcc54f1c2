import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Entry } from '../../../domain/accounting/entry.ts'
import type { EntryResult } from '../../../domain/accounting/result.ts'
import { runEntries } from '../../../domain/accounting/run.ts'
import type { State } from '../../../domain/accounting/state.ts'
import { dayOf } from '../../../domain/day.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import type { CostContext, TokenOnChain } from '../context.ts'
import { type Doubts, entryOf, type FactsOf, groupEntries, type Rows, resultsOf } from './accounting-entries.ts'
import {
  type Computed,
  type Days,
  findGaps,
  type Gap,
  gapKey,
  type Scope,
  type ScopeParts,
  type StoredEntry,
  type StoredResult,
  storedEntries,
  walletsOf,
} from './accounting-store.ts'

/** Some ten milliseconds of work. */
const ENTRIES_A_TURN = 1_000

export type EntryPage = Days & { entries: readonly StoredEntry[]; facts: FactsOf; doubts: Doubts }

export async function* readEntries({ db, factsOf }: CostContext, scope: Scope, from?: string) {
  const doubts = doubtsOf(scope, await findGaps(db, walletsOf(scope)))
  for await (const page of storedEntries(db, scope.parts, from)) {
    yield { ...page, facts: await factsOf(page.entries), doubts } satisfies EntryPage
  }
}

/** `state`: after the entries. */
export type Booked<G> = {
  group: G
  rows: readonly Rows[]
  facts: FactsOf
  entries: readonly Entry[]
  results: readonly EntryResult[]
  state: State
}

/** Yields to the event loop so that other requests proceed. */
export async function* replay<G>(
  pages: AsyncIterable<EntryPage> | Iterable<EntryPage>,
  from: State,
  groupOf: (rows: Rows) => G,
) {
  let state = from
  let sinceTurn = 0
  for await (const { entries: stored, facts, doubts } of pages) {
    for (const [group, rows] of partsOf(groupEntries(stored), groupOf)) {
      const entries = rows.map((each) => entryOf(each, facts, doubts))
      const ran = runEntries(entries, state)
      state = ran.state
      yield { group, rows, facts, entries, results: ran.results, state }
      sinceTurn += rows.length
      if (sinceTurn < ENTRIES_A_TURN) continue
      sinceTurn = 0
      await nextTurn()
    }
  }
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

/** Older months keep their last day. */
const DAYS_KEPT = 8

type Day = Computed['days'][number]

/** State after the earlier pages of a run, and its days whose states are kept. */
export type Run = { state: State; kept: readonly Day[] }

export async function runDays(page: EntryPage, { state: before, kept: earlier }: Run) {
  const kept = [...earlier]
  const lacking = new Map<string, TokenOnChain>()
  const results: StoredResult[] = []
  let state = before
  for await (const { group: day, rows, facts, ...ran } of replay([page], before, ([first]) => dayOf(first.time))) {
    state = ran.state
    results.push(...rows.flatMap((each, i) => resultsOf(each, ran.results[i])))
    for (const { chain, token, token_id } of rows.flat()) {
      const isLacking = token_id === null && facts(chain, token).decimals === undefined
      if (isLacking) lacking.set(`${chain} ${token}`, { chain, token })
    }
    noteState(kept, { day, state })
  }
  const days = kept.filter((day) => !earlier.includes(day))
  const dropped = earlier.flatMap((day) => (kept.includes(day) ? [] : [day.day]))
  return { state, kept, days, dropped, results, lacking: [...lacking.values()] }
}

function noteState(days: Day[], last: Day): void {
  if (days.at(-1)?.day === last.day) days.pop()
  days.push(last)
  const i = days.length - 1 - DAYS_KEPT
  const isLastOfMonth = days[i + 1]?.day.slice(0, 7) !== days[i]?.day.slice(0, 7)
  if (i >= 0 && !isLastOfMonth) days.splice(i, 1)
}
