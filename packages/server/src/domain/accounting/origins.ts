import type { Entry } from './entry.ts'
import type { EntryResult } from './result.ts'
import type { Holdings, Lot } from './state.ts'

/** `transaction` null: a reconciliation. Unix seconds. */
export type Moment = { time: number; chain: string; transaction: string | null }

const SWEEP_AFTER = 10_000

export function createOrigins() {
  let origins = new Map<number, Moment>()
  let sweepAt = SWEEP_AFTER

  function note(entries: readonly Entry[], results: readonly EntryResult[]): void {
    for (const [i, { time, chain, transaction }] of entries.entries()) {
      for (const order of results[i]?.acquired ?? []) origins.set(order, { time, chain, transaction })
    }
  }

  function sweep(take: () => Holdings): void {
    if (origins.size < sweepAt) return
    const { pools, transit } = take()
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

/** Null by average cost: units are indistinguishable. */
export type Origins = { find(lot: Lot): Moment | null } | null
