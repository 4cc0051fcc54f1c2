import { setImmediate as nextTurn } from 'node:timers/promises'
import { runEntries } from '../../../domain/accounting/run.ts'
import type { State } from '../../../domain/accounting/state.ts'
import { dayOf } from '../../../domain/day.ts'
import { entryOf, type FactsOf, groupEntries, type HasGap, type Rows, resultsOf } from './accounting-entries.ts'
import type { StoredEntry, StoredResult } from './accounting-store.ts'

/** Days with entries whose states a run keeps; of older days it keeps the last of each month. */
const DAYS_KEPT = 8
/** Entries between two turns of the event loop: some ten milliseconds of work. */
const ENTRIES_A_TURN = 1_000

type Day = { day: string; state: State }

/** Applies entries to a state day by day. `days`: the days whose state is kept, with that state. */
export function createDayRun(from: State) {
  const days: Day[] = []
  const results: StoredResult[] = []
  let state = from
  let sinceTurn = 0

  /** Applies whole days, in order. Yields to the event loop, so that other requests do not wait for all of them. */
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

/** Drops the day that is no longer one of the last, unless it is the last of its month. */
function dropDay(days: Day[]): void {
  const i = days.length - 1 - DAYS_KEPT
  const isLastOfMonth = days[i + 1]?.day.slice(0, 7) !== days[i]?.day.slice(0, 7)
  if (i >= 0 && !isLastOfMonth) days.splice(i, 1)
}

/** Splits entries into parts; those of one transaction stay together, also across wallets. */
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
