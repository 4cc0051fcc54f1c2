/** What a position has of one bin. Shares and growth have 64 fractional bits. */
export type BinShare = {
  bin: number
  share: bigint
  /** Fees of the two tokens, then the two rewards of the pool. */
  counters: readonly { complete: bigint; pending: bigint }[]
}

/** Tokens at one price, and what each share of them has earned so far, in the order of `BinShare`. */
export type Bin = { amountX: bigint; amountY: bigint; supply: bigint; stored: readonly bigint[] }

/** A reward of a pool: so much by the second, with 64 fractional bits, shared in the active bin. Times in Unix seconds. */
export type DlmmReward = { rate: bigint; ends: bigint; updated: bigint }

const FRACTION = 64n
/** What the program divides its reward rates by. */
const RATE_DIVISOR = 15n

/** What taking the share out of a bin pays of both tokens, rounded down. */
export function withdrawn({ share }: BinShare, { amountX, amountY, supply }: Bin): [bigint, bigint] {
  return supply === 0n ? [0n, 0n] : [(share * amountX) / supply, (share * amountY) / supply]
}

/** What a share may claim of a counter: what is pending, and its part of the growth since. */
export function claimable(share: bigint, counter: { complete: bigint; pending: bigint }, stored: bigint): bigint {
  if (share === 0n || stored <= counter.complete) return counter.pending
  return counter.pending + (((share >> FRACTION) * (stored - counter.complete)) >> FRACTION)
}

/** How much a reward of the active bin has grown since the pool last noted it. */
export function grown({ rate, ends, updated }: DlmmReward, { supply }: Bin, time: bigint): bigint {
  const seconds = (time < ends ? time : ends) - updated
  const whole = supply >> FRACTION
  return seconds <= 0n || whole === 0n ? 0n : (rate * seconds) / RATE_DIVISOR / whole
}
