import { type BeaconTimes, slotAt, timeOfSlot } from '../../domain/beacon-time.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'

/** Since the Merge a block's time is when its slot begins. */
export function slotOfBlock(times: BeaconTimes, timestamp: number): number {
  const slot = slotAt(times, timestamp)
  if (slot < 0 || timeOfSlot(times, slot) !== timestamp) {
    throw new UpstreamError('invalid', 'the time of an execution block is not that of a slot')
  }
  return slot
}
