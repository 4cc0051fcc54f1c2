import type { Chain } from '../../chains/chain.ts'
import type { Address } from '../../domain/address.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import type { Clock } from '../../lib/clock.ts'
import { createKept } from '../../lib/kept.ts'
import { endedWithin } from '../../lib/time-limit.ts'
import { type DayStates, notFinal, type Outcome, whole } from './day-states.ts'

/** By the chain's own time. Allows for a restart, a short outage and other wallets' reads. */
const COUNTS_FOR_SECONDS = 3_600
const TIME_VALID_MS = 15_000
/** Keeps the read from being late. A busy machine needs most of it. */
const SEARCH_MS = 120_000

/**
 * For chains whose nodes serve no past states. Uses the chain's time in the slot that is read, so that a wrong local
 * clock neither misdates nor loses a snapshot.
 */
export function createPassingStates({
  timeOf,
  collectFinal,
  clock,
  ...kind
}: Pick<DayStates, 'chains' | 'refresh' | 'search'> & {
  /** Unix seconds of the last final slot. Rejects with `UpstreamError`. */
  timeOf(chain: string): Promise<number>
  /** At a final slot, without data of earlier reads. Rejects with `UpstreamError`. */
  collectFinal(chain: Chain, wallet: Address): Promise<WalletRead>
  clock: Clock
}): DayStates {
  const times = createKept<number>({ clock, freshMs: TIME_VALID_MS })
  const recentTimeOf = (chain: string) => times.get(chain, () => timeOf(chain))

  const hasBegun = async ({ key }: Chain, timestamp: number) => (await recentTimeOf(key)) >= timestamp

  async function at(chain: Chain, wallet: Address, timestamp: number): Promise<Outcome> {
    const outside = (time: number) => outsideOf({ chain, timestamp, time })
    const now = await recentTimeOf(chain.key)
    const tooLate = outside(now)
    if (tooLate) return tooLate
    const search = kind.search(chain, wallet, 0n)
    const end = (await endedWithin(search, SEARCH_MS)) ? (await search).end : 'unfinished'
    const read = await collectFinal(chain, wallet)
    return outside(read.blockTime) ?? whole(read, 0, end)
  }

  return { ...kind, passing: true, at, hasBegun }
}

function outsideOf({ chain, timestamp, time }: { chain: Chain; timestamp: number; time: number }): Outcome | undefined {
  if (time < timestamp) return notFinal(chain)
  if (time <= timestamp + COUNTS_FOR_SECONDS) return undefined
  return { problem: { chain: chain.key, reason: 'no-state', lasting: true } }
}
