import type { Entry } from '../src/domain/accounting/entry.ts'
import { postEntries } from '../src/domain/accounting/run.ts'
import { emptyState, type State } from '../src/domain/accounting/state.ts'
import { takeState, toWorkingState } from '../src/domain/accounting/working-state.ts'

/** Leaves `from` as it is; its last day continues. */
export function runEntries(entries: Iterable<Entry>, from: State = emptyState()) {
  const working = toWorkingState(from)
  const results = postEntries(working, entries)
  return { state: takeState(working), results, days: [...working.days.values()] }
}
