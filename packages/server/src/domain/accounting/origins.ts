import type { Entry } from './entry.ts'
import type { EntryResult } from './result.ts'
import type { Lot, State } from './state.ts'

/** The transaction in which units came or went; null: a reconciliation. `time` in Unix seconds. */
export type Moment = { time: number; chain: string; transaction: string | null }

/** Lots between two sweeps. */
const SWEEP_AFTER = 10_000

/**
 * Where lots come from. The books keep no more of it than their order, so it is kept beside them, for lots that are still in
 * the books.
 */
export function createOrigins() {
  let origins = new Map<number, Moment>()
  let sweepAt = SWEEP_AFTER

  /** Notes what was acquired by entries. */
  function note(entries: readonly Entry[], results: readonly EntryResult[]): void {
    for (const [i, { time, chain, transaction }] of entries.entries()) {
      for (const order of results[i]?.acquired ?? []) origins.set(order, { time, chain, transaction })
    }
  }

  /** Forgets lots that are gone, now and then: memory stays within twice what the books hold. */
  function sweep({ pools, transit }: Pick<State, 'pools' | 'transit'>): void {
    if (origins.size < sweepAt) return
    const left = new Map<number, Moment>()
    for (const { lots } of [...pools, ...transit]) {
      for (const { order } of lots) {
        const origin = origins.get(order)
        if (origin) left.set(order, origin)
      }
    }
    origins = left
    sweepAt = 2 * left.size + SWEEP_AFTER
  }

  return { note, sweep, find: ({ order }: Lot): Moment | null => origins.get(order) ?? null }
}

/** What tells where lots come from; null by average cost, which tells no units of a pool apart. */
export type Origins = Pick<ReturnType<typeof createOrigins>, 'find'> | null
