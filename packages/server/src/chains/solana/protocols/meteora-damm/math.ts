/** Fractional bits: 64 in liquidity and √prices (b per a), 128 in growth per liquidity. */
const LIQUIDITY_BITS = 128n
/** Reward rates have 64 more. */
const REWARD_BITS = 192n
const MAX_U64 = (1n << 64n) - 1n

/** `reserves`: for pools that compound fees and have no price range. */
export type DammPool = {
  liquidity: bigint
  sqrtMin: bigint
  sqrtMax: bigint
  sqrtPrice: bigint
  reserves: readonly [bigint, bigint] | undefined
}

/** Rounded down. */
export function withdrawn(amount: bigint, pool: DammPool): [bigint, bigint] {
  const { liquidity, sqrtMin, sqrtMax, sqrtPrice, reserves } = pool
  if (amount === 0n) return [0n, 0n]
  if (reserves) return [(amount * reserves[0]) / liquidity, (amount * reserves[1]) / liquidity]
  const a = (amount * (sqrtMax - sqrtPrice)) / (sqrtPrice * sqrtMax)
  return [a, (amount * (sqrtPrice - sqrtMin)) >> LIQUIDITY_BITS]
}

/** Counters wrap around. Sums beyond 64 bits are capped. */
export function earned(
  liquidity: bigint,
  { checkpoint, pending }: { checkpoint: bigint; pending: bigint },
  { growth, isReward }: { growth: bigint; isReward: boolean },
): bigint {
  const since = BigInt.asUintN(256, growth - checkpoint)
  const sum = pending + ((liquidity * since) >> (isReward ? REWARD_BITS : LIQUIDITY_BITS))
  return sum > MAX_U64 ? MAX_U64 : sum
}

/** `rate`: per second, 64 fractional bits. Times in Unix seconds. */
export type DammReward = { rate: bigint; ends: bigint; updated: bigint; stored: bigint }

export function grownTo({ rate, ends, updated, stored }: DammReward, liquidity: bigint, time: bigint): bigint {
  const seconds = (time < ends ? time : ends) - updated
  if (seconds <= 0n || liquidity === 0n) return stored
  return stored + ((rate * seconds) << LIQUIDITY_BITS) / liquidity
}

/** In slots or seconds, as the pool counts. */
export type DammVesting = {
  cliff: bigint
  period: bigint
  atCliff: bigint
  perPeriod: bigint
  periods: bigint
  released: bigint
}

/** `free`: vested, but not yet recorded as free. */
export function vestingAt(vesting: DammVesting, point: bigint): { free: bigint; locked: bigint; ends: bigint } {
  const { cliff, period, atCliff, perPeriod, periods, released } = vesting
  const isAtOnce = period === 0n || perPeriod === 0n
  const passed = isAtOnce || point < cliff ? 0n : (point - cliff) / period
  const vested = point < cliff ? 0n : atCliff + (passed < periods ? passed : periods) * perPeriod
  return {
    free: vested - released,
    locked: atCliff + perPeriod * periods - vested,
    ends: isAtOnce ? cliff : cliff + period * periods,
  }
}
