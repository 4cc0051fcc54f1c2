/** What the programs of concentrated liquidity on Solana have in common: prices √(b per a) and growth in 64 fractional bits. */

const Q64 = 1n << 64n
const Q128 = 1n << 128n

/** The outermost ticks, either side of zero. */
export const MAX_TICK = 443_636

/** A stretch of prices with liquidity in it, and where the pool stands. */
export type Range = {
  liquidity: bigint
  tickLower: number
  tickUpper: number
  sqrtLower: bigint
  sqrtUpper: bigint
  tick: number
  sqrtPrice: bigint
}

/** What taking all liquidity out pays, in base units of the two tokens, rounded down as the programs do. */
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

/**
 * How much a counter has grown inside a range, of its growth everywhere and outside the ticks at the ends. Counters wrap
 * around by design: only differences of them mean something.
 */
export function growthInside(
  { tick, tickLower, tickUpper }: Pick<Range, 'tick' | 'tickLower' | 'tickUpper'>,
  growth: { everywhere: bigint; outsideLower: bigint; outsideUpper: bigint },
): bigint {
  const { everywhere, outsideLower, outsideUpper } = growth
  const below = tick < tickLower ? everywhere - outsideLower : outsideLower
  const above = tick < tickUpper ? outsideUpper : everywhere - outsideUpper
  return BigInt.asUintN(128, everywhere - below - above)
}

/**
 * What a counter owes: the recorded amount, and liquidity × growth since. The programs drop what does not fit 64 bits.
 */
export function owedNow(
  { checkpoint, owed }: { checkpoint: bigint; owed: bigint },
  liquidity: bigint,
  inside: bigint,
): bigint {
  const earned = liquidity * BigInt.asUintN(128, inside - checkpoint)
  return BigInt.asUintN(64, owed + (earned < Q128 ? earned / Q64 : 0n))
}

/** Growth of a reward that a pool gives out by the second, over some seconds; nothing while no liquidity shares in it. */
export function emitted(perSecondX64: bigint, seconds: bigint, liquidity: bigint): bigint {
  if (liquidity === 0n || seconds <= 0n) return 0n
  const growth = (perSecondX64 * seconds) / liquidity
  return growth < Q128 ? growth : 0n
}

/** The first tick of the array of ticks that a tick is in. */
export function arrayStart(tick: number, ticksPerArray: number, tickSpacing: number): number {
  const span = ticksPerArray * tickSpacing
  return Math.floor(tick / span) * span
}

/**
 * The product of those factors whose bit is set in a tick's distance from zero, rounded down after each as the programs do.
 * Throws `RangeError` for a tick beyond the outermost.
 */
export function tickFactor(factors: readonly bigint[], fractionBits: bigint, tick: number): bigint {
  const distance = Math.abs(tick)
  if (!Number.isInteger(tick) || distance > MAX_TICK) throw new RangeError(`tick ${tick} is out of range`)
  let ratio = 1n << fractionBits
  for (const [bit, factor] of factors.entries()) {
    if ((distance >> bit) & 1) ratio = (ratio * factor) >> fractionBits
  }
  return ratio
}
