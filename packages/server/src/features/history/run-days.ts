import { setImmediate as nextTurn } from 'node:timers/promises'
import { runEntries } from '../../domain/accounting/run.ts'
import type { State } from '../../domain/accounting/state.ts'
import { dayOf } from '../../domain/day.ts'
import { entryOf, type FactsOf, groupEntries, type HasGap, type Rows, resultsOf } from './accounting-entries.ts'
import type { StoredEntry, StoredResult } from './accounting-store.ts'

/** States that a run keeps: of its last days with an entry, and of older ones the last of each month. */
const DAYS_KEPT = 8
/** Entries between two turns of the event loop: some ten milliseconds of work. */
const ENTRIES_A_TURN = 1_000

type Day = { day: string; state: State }

/** Carries entries into the books day by day, from a state on. `days`: those with the state after them that is kept. */
export function createDayRun(from: State) {
  const days: Day[] = []
  const results: StoredResult[] = []
  let state = from
  let sinceTurn = 0

  /** Whole days, in their order. Lets the event loop turn, so that other requests do not wait for all of it. */
  async function carry(entries: readonly StoredEntry[], facts: FactsOf, hasGap: HasGap): Promise<void> {
    for (const [day, ofDay] of Map.groupBy(groupEntries(entries), ([first]) => dayOf(first.time))) {
      for (const part of inParts(ofDay)) await carryPart(part, facts, hasGap)
      days.push({ day, state })
      dropDay(days)
    }
  }

  async function carryPart(part: readonly Rows[], facts: FactsOf, hasGap: HasGap): Promise<void> {
    const ran = runEntries(
      part.map((rows) => entryOf(rows, facts, hasGap)),
      state,
    )
    state = ran.state
    for (const [i, rows] of part.entries()) results.push(...resultsOf(rows, ran.results[i]))
    sinceTurn += part.length
    if (sinceTurn < ENTRIES_A_TURN) return
    sinceTurn = 0
    await nextTurn()
  }

  return { carry, end: () => ({ state, days, results }) }
}

/** The day that is no longer one of the last goes, unless it is the last of its month. */
function dropDay(days: Day[]): void {
  const i = days.length - 1 - DAYS_KEPT
  const isLastOfMonth = days[i + 1]?.day.slice(0, 7) !== days[i]?.day.slice(0, 7)
  if (i >= 0 && !isLastOfMonth) days.splice(i, 1)
}

/** Parts of some entries; those of one transaction stay together, whosever they are. */
function inParts(entries: readonly Rows[]): Rows[][] {
  const parts: Rows[][] = []
  for (const [i, rows] of entries.entries()) {
    const part = parts.at(-1)
    const isFull = !part || part.length >= ENTRIES_A_TURN
    if (part && (!isFull || isSameTransaction(entries[i - 1], rows))) part.push(rows)
    else parts.push([rows])
  }
  return parts
}

const isSameTransaction = (before: Rows | undefined, [{ chain, hash }]: Rows): boolean =>
  hash !== null && before?.[0].hash === hash && before[0].chain === chain
