/** A slot takes so long. */
const SLOT_MS = 400n
/** Slots of an epoch, as on mainnet, from slot 0 on. */
export const SLOTS_PER_EPOCH = 432_000n
const MS = 1000n

type Anchor = { slot: bigint; timeMs: bigint }

/**
 * Which slot it is and what time each slot has. Slots follow each other at the chain's pace; the clock can be set
 * forward, from the next slot on. Neither ever goes back.
 */
export const createTimeline = (start: { slot: bigint; unixTime: bigint }) => {
  const anchors: [Anchor, ...Anchor[]] = [{ slot: start.slot, timeMs: start.unixTime * MS }]
  let slot = start.slot

  const at = (wanted: bigint): bigint => {
    const anchor = anchors.findLast((candidate) => candidate.slot <= wanted) ?? anchors[0]
    return anchor.timeMs + (wanted - anchor.slot) * SLOT_MS
  }

  const moveTo = (next: bigint): void => {
    if (next < slot) throw new Error(`slot ${next} is before the present one, ${slot}`)
    slot = next
  }

  return {
    slot: (): bigint => slot,
    epoch: (): bigint => slot / SLOTS_PER_EPOCH,
    /** Unix seconds of a slot; null before the chain's first slot and after the present one. */
    timeOf: (wanted: bigint): bigint | null => (wanted < start.slot || wanted > slot ? null : at(wanted) / MS),
    moveTo,
    /** Makes a slot that has this time, in Unix seconds. */
    setTime: (unixTime: bigint): void => {
      const timeMs = unixTime * MS
      if (timeMs < at(slot)) throw new Error(`time ${unixTime} is before the present one, ${at(slot) / MS}`)
      moveTo(slot + 1n)
      anchors.push({ slot, timeMs })
    },
    /** How many slots have to pass until it is this time; 0 when it is already. */
    slotsUntil: (unixTimeMs: bigint): bigint => {
      const missing = unixTimeMs - at(slot)
      return missing < SLOT_MS ? 0n : missing / SLOT_MS
    },
  }
}
