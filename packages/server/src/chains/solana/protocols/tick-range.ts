/** Prices √(b per a) and growth have 64 fractional bits. */

const Q64 = 1n << 64n
const Q128 = 1n << 128n

export const MAX_TICK = 443_636

export type Range = {
  liquidity: bigint
  tickLower: number
  tickUpper: number
  sqrtLower: bigint
  sqrtUpper: bigint
  tick: number
  sqrtPrice: bigint
}

/** Rounds down as the programs do. */
export function withdrawn(range: Range): [bigint, bigint] {
  const { liquidity, sqrtLower, sqrtUpper, sqrtPrice } = range
  if (range.tick < range.tickLower) return [amountA(liquidity, sqrtLower, sqrtUpper), 0n]
  if (range.tick >= range.tickUpper) return [0n, amountB(liquidity, sqrtLower, sqrtUpper)]
  return [amountA(liquidity, sqrtPrice, sqrtUpper), amountB(liquidity, sqrtLower, sqrtPrice)]
}

function amountA(liquidity: bigint, from: bigint, to: bigint): bigint {
  return (liquidity * (to - from) * Q64) / (from * to)
}

function amountB(liquidity: bigint, from: bigint, to: bigint): bigint {
  return (liquidity * (to - from)) / Q64
}

/** Counters wrap around by design. */
export function growthInside(
  { tick, tickLower, tickUpper }: Pick<Range, 'tick' | 'tickLower' | 'tickUpper'>,
  growth: { everywhere: bigint; outsideLower: bigint; outsideUpper: bigint },
): bigint {
  const { everywhere, outsideLower, outsideUpper } = growth
  const below = tick < tickLower ? everywhere - outsideLower : outsideLower
  const above = tick < tickUpper ? outsideUpper : everywhere - outsideUpper
  return BigInt.asUintN(128, everywhere - below - above)
}

/** The programs drop amounts beyond 64 bits. */
export function owedNow(
  { checkpoint, owed }: { checkpoint: bigint; owed: bigint },
  liquidity: bigint,
  inside: bigint,
): bigint {
  const earned = liquidity * BigInt.asUintN(128, inside - checkpoint)
  return BigInt.asUintN(64, owed + (earned < Q128 ? earned / Q64 : 0n))
}

export function emitted(perSecondX64: bigint, seconds: bigint, liquidity: bigint): bigint {
  if (liquidity === 0n || seconds <= 0n) return 0n
  const growth = (perSecondX64 * seconds) / liquidity
  return growth < Q128 ? growth : 0n
}

export function arrayStart(tick: number, ticksPerArray: number, tickSpacing: number): number {
  const span = ticksPerArray * tickSpacing
  return Math.floor(tick / span) * span
}

/** Rounds down after each factor, as the programs do. Throws `RangeError`. */
export function tickFactor(factors: readonly bigint[], fractionBits: bigint, tick: number): bigint {
  const distance = Math.abs(tick)
  if (!Number.isInteger(tick) || distance > MAX_TICK) throw new RangeError(`tick ${tick} is out of range`)
  let ratio = 1n << fractionBits
  for (const [bit, factor] of factors.entries()) {
    if ((distance >> bit) & 1) ratio = (ratio * factor) >> fractionBits
  }
  return ratio
}
