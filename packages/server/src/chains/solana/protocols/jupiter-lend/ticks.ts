/**
 * A tick is a ratio of debt to collateral: 1.0015^tick. Source: Instadapp/fluid-solana-programs (`tick.rs`, `bn.rs`).
 */
const MAX_TICK = 16_383
const RATIO_BITS = 48n
/** 2^64 ÷ 1.0015^(2^i), as the program rounds them. */
const POWERS = [
  0xff9dd7de423466c2n,
  0xff3bd55f4488ad27n,
  0xfe78410fd6498b74n,
  0xfcf2d9987c9be179n,
  0xf9ef02c4529258b0n,
  0xf402d288133a85a1n,
  0xe895615b5beb6386n,
  0xd34f17a00ffa00a8n,
  0xae6b7961714e2055n,
  0x76d6461f27082d75n,
  0x372a3bfe0745d8b7n,
  0x0be32cbee4897976n,
  0x008d4f70c9ff4925n,
  0x00004e009ae55194n,
]
const SPACING = 10_015n
const BPS = 10_000n
const PARTIALS = (1n << 30n) - 1n

export const isTick = (tick: number) => tick >= -MAX_TICK && tick <= MAX_TICK

/** Times 2^48. */
export function ratioAtTick(tick: number): bigint {
  const size = Math.abs(tick)
  const factor = POWERS.reduce(
    (product, power, bit) => (size & (1 << bit) ? (product * power) >> 64n : product),
    1n << 64n,
  )
  if (tick < 0) return factor >> 16n
  const inverse = ((1n << 128n) - 1n) / factor
  return (inverse >> 16n) + (inverse % 65_536n === 0n ? 0n : 1n)
}

/** Includes dust that is not owed; rounded up as in the program. */
export const debtAtTick = (supply: bigint, tick: number) => ((ratioAtTick(tick) * (supply + 1n)) >> RATIO_BITS) + 1n

/** 35 bits of coefficient, then 15 of exponent. */
const EXPONENT_BITS = 15n
const EXPONENT_MASK = (1n << EXPONENT_BITS) - 1n
const COEFFICIENT_BITS = 35n
const EXPONENT_ZERO = 16_384n
/** Factor after a full liquidation. */
export const ALL = (1n << (COEFFICIENT_BITS + EXPONENT_BITS)) - 1n

const split = (factor: bigint) => [factor >> EXPONENT_BITS, factor & EXPONENT_MASK] as const

export function connectedFactor(a: bigint, b: bigint): bigint | undefined {
  const [[coefficientA, exponentA], [coefficientB, exponentB]] = [split(a), split(b)]
  const product = coefficientA * coefficientB
  const dropped = product >> (2n * COEFFICIENT_BITS - 1n) > 0n ? COEFFICIENT_BITS : COEFFICIENT_BITS - 1n
  const exponent = exponentA + exponentB + dropped - EXPONENT_ZERO
  if (exponent < 0n) return undefined
  return exponent > EXPONENT_MASK ? ALL : ((product >> dropped) << EXPONENT_BITS) | exponent
}

export type BranchEnd = { tick: number; partials: number; factor: bigint }

/**
 * `fetch_latest_position`: a ten thousandth of the debt stays with the branch, and less than a hundredth counts as
 * nothing.
 */
export function leftOf(debt: bigint, factor: bigint, end: BranchEnd): { supply: bigint; debt: bigint } | undefined {
  const remaining = scaledDebt(debt, end.factor, factor)
  if (remaining === undefined) return undefined
  const left = remaining > debt / 100n ? (remaining * (BPS - 1n)) / BPS : 0n
  if (left === 0n) return { supply: 0n, debt: 0n }
  return isTick(end.tick) ? { supply: (left << RATIO_BITS) / ratioAtEnd(end), debt: left } : undefined
}

function scaledDebt(debt: bigint, now: bigint, then: bigint): bigint | undefined {
  if (now === 0n || then === 0n) return 0n
  const [[nowCoefficient, nowExponent], [thenCoefficient, thenExponent]] = [split(now), split(then)]
  if (thenExponent < nowExponent || thenCoefficient === 0n) return undefined
  return (debt * nowCoefficient) / (thenCoefficient << (thenExponent - nowExponent))
}

function ratioAtEnd({ tick, partials }: BranchEnd): bigint {
  const upper = ratioAtTick(tick)
  const lower = (upper * BPS) / SPACING
  return lower + ((upper - lower) * BigInt(partials)) / PARTIALS
}
