import type { SolanaClock } from '../reader/solana-reader.ts'

/** On mainnet. */
export const SLOTS_PER_EPOCH = 432_000n
/** Target; it predicts the next epoch's start to about an hour. */
const SLOT_MS = 400n
const MS = 1_000n

/** In Unix seconds. */
export function timeOfSlot(slot: bigint, clock: Pick<SolanaClock, 'slot' | 'time'>): bigint {
  return BigInt(clock.time) + ((slot - clock.slot) * SLOT_MS + MS - 1n) / MS
}

/** Permanent locks have the largest safe integer. */
export function unlockTime(time: bigint): number {
  return time < BigInt(Number.MAX_SAFE_INTEGER) ? Number(time) : Number.MAX_SAFE_INTEGER
}
