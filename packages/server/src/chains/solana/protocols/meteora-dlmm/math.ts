/** Shares and growth have 64 fractional bits. */
export type BinShare = {
  bin: number
  share: bigint
  /** Two fees, then two rewards. */
  counters: readonly { complete: bigint; pending: bigint }[]
}

/** `stored`: earnings per share. */
export type Bin = { amountX: bigint; amountY: bigint; supply: bigint; stored: readonly bigint[] }

/** `rate`: per second, 64 fractional bits. */
export type DlmmReward = { rate: bigint; ends: bigint; updated: bigint }

const FRACTION = 64n
/** Divisor of reward rates in the program. */
const RATE_DIVISOR = 15n

/** Rounded down. */
export function withdrawn({ share }: BinShare, { amountX, amountY, supply }: Bin): [bigint, bigint] {
  return supply === 0n ? [0n, 0n] : [(share * amountX) / supply, (share * amountY) / supply]
}

export function claimable(share: bigint, counter: { complete: bigint; pending: bigint }, stored: bigint): bigint {
  if (share === 0n || stored <= counter.complete) return counter.pending
  return counter.pending + (((share >> FRACTION) * (stored - counter.complete)) >> FRACTION)
}

export function grown({ rate, ends, updated }: DlmmReward, { supply }: Bin, time: bigint): bigint {
  const seconds = (time < ends ? time : ends) - updated
  const whole = supply >> FRACTION
  return seconds <= 0n || whole === 0n ? 0n : (rate * seconds) / RATE_DIVISOR / whole
}
