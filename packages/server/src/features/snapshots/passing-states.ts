import type { Address } from '../../domain/address.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import type { Chain } from '../../kinds/chain.ts'
import type { Clock } from '../../lib/clock.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import { endedWithin } from '../../lib/time-limit.ts'
import { type DayStates, notFinal, type Outcome, whole } from './day-states.ts'

/**
 * How long after its moment a read still counts as the moment's, in seconds by the chain's own time. Long enough for a restart,
 * for a node that is away a while and for the wallets of the others; the snapshot says its time.
 */
const COUNTS_FOR_SECONDS = 3_600
/** How old an answer to what time it is on a chain may be, in ms. */
const TIME_VALID_MS = 15_000
/** How long a read waits for the search that goes before it, in ms: it must not be late for that. */
const SEARCH_MS = 20_000

/**
 * Days on chains that no node tells the past of: a wallet is read as it is, within an hour of the moment, and a day for which
 * that did not come about has none. Both ends are by the time of the chain, in the slot that is read: a clock of ours that is
 * astray neither makes a snapshot of another day nor gives one up.
 */
export function createPassingStates({
  timeOf,
  collect,
  clock,
  ...kind
}: Pick<DayStates, 'chains' | 'refresh' | 'search'> & {
  /** What time it is on a chain, Unix seconds, by its last final slot. Rejects with `UpstreamError`. */
  timeOf(chain: string): Promise<number>
  /** Reads a wallet at a slot that is final, with nothing of earlier reads. Rejects with `UpstreamError`. */
  collect(chain: Chain, wallet: Address): Promise<WalletRead>
  clock: Clock
}): DayStates {
  const known = new Map<string, { time: number; until: number }>()
  const flights = createSingleFlight<number>()

  async function recentTimeOf(chain: string): Promise<number> {
    const before = known.get(chain)
    if (before && clock.now() < before.until) return before.time
    return flights.run(chain, async () => {
      const time = await timeOf(chain)
      known.set(chain, { time, until: clock.now() + TIME_VALID_MS })
      return time
    })
  }

  const hasBegun = async ({ key }: Chain, timestamp: number) => (await recentTimeOf(key)) >= timestamp

  async function at(chain: Chain, wallet: Address, timestamp: number): Promise<Outcome> {
    const outside = (time: number) => outsideOf({ chain, timestamp, time })
    const now = await recentTimeOf(chain.key)
    const tooLate = outside(now)
    if (tooLate) return tooLate
    const search = kind.search(chain, wallet, 0n)
    const end = (await endedWithin(search, SEARCH_MS)) ? (await search).end : 'unfinished'
    const read = await collect(chain, wallet)
    return outside(read.blockTime) ?? whole(read, 0, end)
  }

  return { ...kind, passing: true, at, hasBegun }
}

/** Why a read of this time is not the moment's; nothing if it is. A moment that is over does not come back. */
function outsideOf({ chain, timestamp, time }: { chain: Chain; timestamp: number; time: number }): Outcome | undefined {
  if (time < timestamp) return notFinal(chain)
  if (time <= timestamp + COUNTS_FOR_SECONDS) return undefined
  return { problem: { chain: chain.key, reason: 'no-state', lasting: true } }
}
