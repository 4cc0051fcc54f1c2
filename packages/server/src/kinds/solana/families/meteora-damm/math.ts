/** Liquidity has 64 fractional bits and so have √prices (b per a); growth per liquidity has 128. */
const LIQUIDITY_BITS = 128n
/** Reward rates have 64 more. */
const REWARD_BITS = 192n
const MAX_U64 = (1n << 64n) - 1n

/** Where a pool stands. `reserves`: what it holds, for one that adds its fees to its liquidity and has no range of prices. */
export type DammPool = {
  liquidity: bigint
  sqrtMin: bigint
  sqrtMax: bigint
  sqrtPrice: bigint
  reserves: readonly [bigint, bigint] | undefined
}

/** What taking liquidity out pays of both tokens, rounded down. */
export function withdrawn(amount: bigint, pool: DammPool): [bigint, bigint] {
  const { liquidity, sqrtMin, sqrtMax, sqrtPrice, reserves } = pool
  if (amount === 0n) return [0n, 0n]
  if (reserves) return [(amount * reserves[0]) / liquidity, (amount * reserves[1]) / liquidity]
  const a = (amount * (sqrtMax - sqrtPrice)) / (sqrtPrice * sqrtMax)
  return [a, (amount * (sqrtPrice - sqrtMin)) >> LIQUIDITY_BITS]
}

/** What a position has earned of a counter. Counters wrap around; a sum that does not fit 64 bits is the largest that does. */
export function earned(
  liquidity: bigint,
  { checkpoint, pending }: { checkpoint: bigint; pending: bigint },
  { growth, isReward }: { growth: bigint; isReward: boolean },
): bigint {
  const since = BigInt.asUintN(256, growth - checkpoint)
  const sum = pending + ((liquidity * since) >> (isReward ? REWARD_BITS : LIQUIDITY_BITS))
  return sum > MAX_U64 ? MAX_U64 : sum
}

/** A reward of a pool: so much by the second, with 64 fractional bits, until its end. Times in Unix seconds. */
export type DammReward = { rate: bigint; ends: bigint; updated: bigint; stored: bigint }

/** Growth of a reward up to a time; none comes in while the pool is empty. */
export function grownTo({ rate, ends, updated, stored }: DammReward, liquidity: bigint, time: bigint): bigint {
  const seconds = (time < ends ? time : ends) - updated
  if (seconds <= 0n || liquidity === 0n) return stored
  return stored + ((rate * seconds) << LIQUIDITY_BITS) / liquidity
}

/** Liquidity that comes free bit by bit. `cliff` and `period` are in slots or in seconds, as the pool counts. */
export type DammVesting = {
  cliff: bigint
  period: bigint
  atCliff: bigint
  perPeriod: bigint
  periods: bigint
  released: bigint
}

/** What may be taken out at a point and was not yet noted as free, what is to come, and the point at which all of it has. */
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
