import type { EpochRange } from '../../domain/beacon-time.ts'
import type { Clock } from '../../lib/clock.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { BeaconChain } from './beacon-chain.ts'

/** One slot. Finality advances once per epoch (32 slots), so pages need not ask for it more often. */
const KNOWN_MS = 12_000
/** The rewards of an epoch are credited as the next one ends, so two epochs must follow it. */
const EPOCHS_UNTIL_COUNTED = 2

/** The epochs whose rewards count: from the start of rewards to the last one that is final with the two after it. */
export type CountedEpochs = () => Promise<EpochRange>

/**
 * Caches finality, which never goes back: while no node answers, the last known epoch is used. Rejects with
 * `UpstreamError` if finality was never read.
 */
export function createCountedEpochs({
  chain,
  clock,
}: {
  chain: Pick<BeaconChain, 'facts' | 'finalizedEpoch'>
  clock: Clock
}): CountedEpochs {
  const reads = createSingleFlight<number>()
  let known: { epoch: number; readAt: number } | undefined

  async function read(): Promise<number> {
    try {
      const epoch = Math.max(await chain.finalizedEpoch(), known?.epoch ?? 0)
      known = { epoch, readAt: clock.now() }
      return epoch
    } catch (thrown) {
      if (!known || !(thrown instanceof UpstreamError)) throw thrown
      return known.epoch
    }
  }

  return async () => {
    const { firstEpoch } = await chain.facts()
    const isKnown = known !== undefined && clock.now() - known.readAt < KNOWN_MS
    const finalized = isKnown && known ? known.epoch : await reads.run('finality', read)
    return { fromEpoch: firstEpoch, toEpoch: finalized - EPOCHS_UNTIL_COUNTED }
  }
}
