import type { State } from '../../../domain/accounting/state.ts'
import { dayOf } from '../../../domain/day.ts'
import { resultsOf } from './accounting-entries.ts'
import type { Computed } from './accounting-store.ts'
import { type EntryPage, replay } from './replay.ts'

/** Older months keep their last day. */
const DAYS_KEPT = 8

export async function runDays(pages: AsyncIterable<EntryPage>, from: State): Promise<Omit<Computed, 'seen'>> {
  const computed = { state: from, days: [] as Day[], lacking: new Map(), results: [] as Computed['results'][number][] }
  for await (const { group: day, rows, facts, results, state } of replay(pages, from, ([first]) => dayOf(first.time))) {
    computed.state = state
    computed.results.push(...rows.flatMap((each, i) => resultsOf(each, results[i])))
    for (const { chain, token, token_id } of rows.flat()) {
      const isLacking = token_id === null && facts(chain, token).decimals === undefined
      if (isLacking) computed.lacking.set(`${chain} ${token}`, { chain, token })
    }
    noteState(computed.days, { day, state })
  }
  return { ...computed, lacking: [...computed.lacking.values()] }
}

type Day = Computed['days'][number]

function noteState(days: Day[], last: Day): void {
  if (days.at(-1)?.day === last.day) days.pop()
  days.push(last)
  const i = days.length - 1 - DAYS_KEPT
  const isLastOfMonth = days[i + 1]?.day.slice(0, 7) !== days[i]?.day.slice(0, 7)
  if (i >= 0 && !isLastOfMonth) days.splice(i, 1)
}
