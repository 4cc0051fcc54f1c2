import type { EpochRange } from '../../domain/beacon-time.ts'
import type { Clock } from '../../lib/clock.ts'
import { createKept } from '../../lib/kept.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { BeaconChain } from './beacon-chain.ts'

/** One slot. Finality advances once per epoch (32 slots). */
const KNOWN_MS = 12_000
/** Rewards are credited as the next epoch ends. */
const EPOCHS_UNTIL_COUNTED = 2

export type CountedEpochs = () => Promise<EpochRange>

/**
 * Finality never goes back: while no node answers, the last known epoch counts. Rejects with `UpstreamError` if it was
 * never read.
 */
export function createCountedEpochs({
  chain,
  clock,
}: {
  chain: Pick<BeaconChain, 'facts' | 'finalizedEpoch'>
  clock: Clock
}): CountedEpochs {
  const finality = createKept<number>({ clock, freshMs: KNOWN_MS })

  async function read(before: number | undefined): Promise<number> {
    try {
      return Math.max(await chain.finalizedEpoch(), before ?? 0)
    } catch (thrown) {
      if (before === undefined || !(thrown instanceof UpstreamError)) throw thrown
      return before
    }
  }

  return async () => {
    const { firstEpoch } = await chain.facts()
    return { fromEpoch: firstEpoch, toEpoch: (await finality.get('finality', read)) - EPOCHS_UNTIL_COUNTED }
  }
}
