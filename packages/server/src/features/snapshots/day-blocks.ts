import { type BlockAtTime, findBlockAtTime } from '../../kinds/evm/block-at-time.ts'
import { patientPool } from '../../kinds/rpc/patient-pool.ts'
import type { RpcPool } from '../../kinds/rpc/rpc-pool.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import type { Clock } from '../../lib/clock.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'

/** Cached blocks: chains times days of a backfill. */
const REMEMBERED = 10_000
/** Interval in ms after which a chain without a final block of a time is asked again. */
const PATIENCE_MS = 15_000

export type DayBlocks = ReturnType<typeof createDayBlocks>

/** The first block of a moment on each chain: what is final is found once for all wallets. */
export function createDayBlocks({ pools, clock }: { pools: ReadonlyMap<string, RpcPool>; clock: Clock }) {
  const known = new BoundedMap<string, { found: BlockAtTime; until: number }>(REMEMBERED)
  const flights = createSingleFlight<BlockAtTime>()

  /** As `findBlockAtTime`. */
  async function find(chain: string, timestamp: number): Promise<BlockAtTime> {
    const pool = pools.get(chain)
    if (!pool) throw new Error(`${chain} is not enabled`)
    const key = `${chain} ${timestamp}`
    const before = known.get(key)
    if (before && clock.now() < before.until) return before.found
    return flights.run(key, async () => {
      const found = await findBlockAtTime(patientPool(pool), timestamp)
      known.set(key, { found, until: found.block ? Number.POSITIVE_INFINITY : clock.now() + PATIENCE_MS })
      return found
    })
  }

  return { find }
}
