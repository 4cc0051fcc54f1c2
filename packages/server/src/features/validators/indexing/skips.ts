import type { EpochRange } from '../../../domain/beacon-time.ts'

export type Skips = ReturnType<typeof createSkips>

/**
 * A node that lacks an epoch usually lacks older ones too, but not always. Each failure doubles the skip, so some
 * twenty steps probe the whole past.
 */
export function createSkips() {
  let ceiling = Number.POSITIVE_INFINITY
  let step = 1
  return {
    note(epoch: number): void {
      ceiling = epoch - step
      step *= 2
    },
    noteRead(): void {
      step = 1
    },
    without<Range extends EpochRange>(missing: readonly Range[]): Range[] {
      return missing
        .map((range) => ({ ...range, toEpoch: Math.min(range.toEpoch, ceiling) }))
        .filter(({ fromEpoch, toEpoch }) => fromEpoch <= toEpoch)
    },
  }
}
