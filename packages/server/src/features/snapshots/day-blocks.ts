import type { BlockAtTime } from '../../kinds/seen-block.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import type { Clock } from '../../lib/clock.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'

/** Cached blocks: chains times days of a backfill. */
const REMEMBERED = 10_000
/** Interval in ms after which a chain without a final block of a time is asked again. */
const PATIENCE_MS = 15_000

export type DayBlocks = ReturnType<typeof createDayBlocks>

/** The first block of a moment on each chain: what is final is found once for all wallets. */
export function createDayBlocks({
  blockAt,
  clock,
}: {
  /** Rejects with `UpstreamError`. */
  blockAt(chain: string, timestamp: number): Promise<BlockAtTime>
  clock: Clock
}) {
  const known = new BoundedMap<string, { found: BlockAtTime; until: number }>(REMEMBERED)
  const flights = createSingleFlight<BlockAtTime>()

  /** Rejects with `UpstreamError`. */
  async function find(chain: string, timestamp: number): Promise<BlockAtTime> {
    const key = `${chain} ${timestamp}`
    const before = known.get(key)
    if (before && clock.now() < before.until) return before.found
    return flights.run(key, async () => {
      const found = await blockAt(chain, timestamp)
      known.set(key, { found, until: found.block ? Number.POSITIVE_INFINITY : clock.now() + PATIENCE_MS })
      return found
    })
  }

  return { find }
}
