import { runEntries } from '../../domain/accounting/run.ts'
import type { State } from '../../domain/accounting/state.ts'
import { dayOf } from '../../domain/day.ts'
import { entryOf, type FactsOf, groupEntries, type HasGap, resultsOf } from './accounting-entries.ts'
import type { StoredEntry, StoredResult } from './accounting-store.ts'

/** States that a run keeps: of its last days with an entry, and of older ones the last of each month. */
const DAYS_KEPT = 8

/** Carries entries into the books day by day; `days`: those with the state after them that is kept. */
export function runDays(entries: readonly StoredEntry[], from: State, facts: FactsOf, hasGap: HasGap) {
  const days: { day: string; state: State }[] = []
  const results: StoredResult[] = []
  let state = from
  for (const [day, ofDay] of Map.groupBy(groupEntries(entries), ([first]) => dayOf(first.time))) {
    const ran = runEntries(
      ofDay.map((rows) => entryOf(rows, facts, hasGap)),
      state,
    )
    state = ran.state
    days.push({ day, state })
    results.push(...ofDay.flatMap((rows, i) => resultsOf(rows, ran.results[i])))
  }
  return { state, days: keptDays(days), results }
}

function keptDays<T extends { day: string }>(days: readonly T[]): T[] {
  const isLastOfMonth = (i: number) => days[i + 1]?.day.slice(0, 7) !== days[i]?.day.slice(0, 7)
  return days.filter((_, i) => i >= days.length - DAYS_KEPT || isLastOfMonth(i))
}
