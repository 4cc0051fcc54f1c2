/** Duration of a slot. */
const SLOT_MS = 400n
/** As on mainnet. */
export const SLOTS_PER_EPOCH = 432_000n
const MS = 1000n

type Anchor = { slot: bigint; timeMs: bigint }

/** The clock can be set forward from the next slot on. Slots and time never go back. */
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
    /** Unix seconds. Null before the first slot and after the current one. */
    timeOf: (wanted: bigint): bigint | null => (wanted < start.slot || wanted > slot ? null : at(wanted) / MS),
    moveTo,
    /** In Unix seconds. */
    setTime: (unixTime: bigint): void => {
      const timeMs = unixTime * MS
      if (timeMs < at(slot)) throw new Error(`time ${unixTime} is before the present one, ${at(slot) / MS}`)
      moveTo(slot + 1n)
      anchors.push({ slot, timeMs })
    },
    /** 0 if the time has passed. */
    slotsUntil: (unixTimeMs: bigint): bigint => {
      const missing = unixTimeMs - at(slot)
      return missing < SLOT_MS ? 0n : missing / SLOT_MS
    },
  }
}
