import type { State } from '../../../domain/accounting/state.ts'
import { dayOf } from '../../../domain/day.ts'
import { type Doubts, type FactsOf, groupEntries, resultsOf } from './accounting-entries.ts'
import type { StoredEntry, StoredResult } from './accounting-store.ts'
import { createReplay } from './replay.ts'

/** States kept of days with entries; of older days, the last of each month. */
const DAYS_KEPT = 8

type Day = { day: string; state: State }

export function createDayRun(from: State) {
  const days: Day[] = []
  const results: StoredResult[] = []
  const replay = createReplay(from)

  /** Takes whole days, in order. */
  async function carry(entries: readonly StoredEntry[], facts: FactsOf, doubts: Doubts): Promise<void> {
    for (const [day, ofDay] of Map.groupBy(groupEntries(entries), ([first]) => dayOf(first.time))) {
      for await (const booked of replay.book(ofDay, { facts, doubts })) {
        for (const [i, rows] of booked.rows.entries()) results.push(...resultsOf(rows, booked.results[i]))
      }
      days.push({ day, state: replay.state() })
      dropDay(days)
    }
  }

  return { carry, end: () => ({ state: replay.state(), days, results }) }
}

function dropDay(days: Day[]): void {
  const i = days.length - 1 - DAYS_KEPT
  const isLastOfMonth = days[i + 1]?.day.slice(0, 7) !== days[i]?.day.slice(0, 7)
  if (i >= 0 && !isLastOfMonth) days.splice(i, 1)
}
