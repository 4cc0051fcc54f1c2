import type { EpochRange } from '../../../domain/beacon-time.ts'

export type Skips = ReturnType<typeof createSkips>

/**
 * Epochs that a run no longer tries. A node that lacks an epoch usually lacks older ones too, but not always: each
 * failure doubles the number of epochs skipped, so that the whole past is probed in some twenty steps.
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
    /** Those that are still to be tried. */
    without<Range extends EpochRange>(missing: readonly Range[]): Range[] {
      return missing
        .map((range) => ({ ...range, toEpoch: Math.min(range.toEpoch, ceiling) }))
        .filter(({ fromEpoch, toEpoch }) => fromEpoch <= toEpoch)
    },
  }
}
