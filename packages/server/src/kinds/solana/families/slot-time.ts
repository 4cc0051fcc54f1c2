import type { SolanaClock } from '../reader/solana-reader.ts'

/** Slots of an epoch on the main network, from slot 0 on. */
export const SLOTS_PER_EPOCH = 432_000n
/** Target length of a slot. It predicts the beginning of the next epoch to about an hour. */
const SLOT_MS = 400n
const MS = 1_000n

/** When a slot to come is expected, in Unix seconds. */
export function timeOfSlot(slot: bigint, clock: Pick<SolanaClock, 'slot' | 'time'>): bigint {
  return BigInt(clock.time) + ((slot - clock.slot) * SLOT_MS + MS - 1n) / MS
}

/** A time as an `unlockAt`: what is locked for ever has the largest integer that there is. */
export function unlockTime(time: bigint): number {
  return time < BigInt(Number.MAX_SAFE_INTEGER) ? Number(time) : Number.MAX_SAFE_INTEGER
}
