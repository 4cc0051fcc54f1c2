import type { BlockAtTime } from '../../chains/seen-block.ts'
import type { Clock } from '../../lib/clock.ts'
import { createKept } from '../../lib/kept.ts'

/** Chains times days of a backfill. */
const REMEMBERED = 10_000
/** Until a chain without a final block is asked again. */
const PATIENCE_MS = 15_000

export type DayBlocks = ReturnType<typeof createDayBlocks>

export function createDayBlocks({
  blockAt,
  clock,
}: {
  blockAt(chain: string, timestamp: number): Promise<BlockAtTime>
  clock: Clock
}) {
  const kept = createKept<BlockAtTime>({
    most: REMEMBERED,
    clock,
    freshMs: ({ block }) => (block ? Number.POSITIVE_INFINITY : PATIENCE_MS),
  })
  return {
    /** Rejects with `UpstreamError`. */
    find: (chain: string, timestamp: number): Promise<BlockAtTime> =>
      kept.get(`${chain} ${timestamp}`, () => blockAt(chain, timestamp)),
  }
}
