import { dividedUp } from '../amounts.ts'
import { tickFactor } from '../range-positions.ts'
import type { Lending, Reserve, Rewards, VaultState } from './layout.ts'

/** Rates and fees in basis points, times in Unix seconds. Source: Instadapp/fluid-solana-programs. */
const PRICE_UNIT = 10n ** 12n
const BPS = 10_000n
const YEAR = 31_536_000n
/** 100 % of a return. */
const RETURN_UNIT = 10n ** 14n
const MAX_REWARD = RETURN_UNIT / 2n
const YIELD_UNIT = 10n ** 17n
const GROWTH_UNIT = 10n ** 18n

type Pair = readonly [bigint, bigint]

const later = (a: bigint, b: bigint) => (a > b ? a : b)
const earlier = (a: bigint, b: bigint) => (a < b ? a : b)

/** `TokenReserve::calculate_exchange_prices`. */
export function reservePrices(reserve: Reserve, time: bigint): Pair {
  const { supplyPrice, borrowPrice, updatedAt, supplied, borrowed } = reserve
  const seconds = later(time - updatedAt, 0n)
  const rate = BigInt(reserve.borrowRate)
  if (borrowed[0] === 0n) return [supplyPrice, borrowPrice]
  const debtPrice = borrowPrice + dividedUp(borrowPrice * rate * seconds, YEAR * BPS)
  if (supplied[0] === 0n) return [supplyPrice, debtPrice]
  const yielded = suppliersYield(BigInt(reserve.utilisation), supplied, borrowed)
  const supplyRate = rate * yielded * (BPS - BigInt(reserve.fee))
  return [supplyPrice + (supplyPrice * supplyRate * seconds) / (YEAR * BPS) / (BPS * BPS), debtPrice]
}

/** Part of the borrow rate, in basis points: interest-free sides neither pay nor are paid. */
function suppliersYield(utilisation: bigint, supplied: Pair, borrowed: Pair): bigint {
  const [supplyRatio, borrowRatio] = [ratioOf(supplied), ratioOf(borrowed)]
  if (supplied[0] < supplied[1] && supplyRatio === 0n) return 0n
  const perUtilised =
    supplied[0] < supplied[1]
      ? (utilisation * (YIELD_UNIT + (YIELD_UNIT * BPS) / supplyRatio)) / BPS
      : (utilisation * YIELD_UNIT * (BPS + supplyRatio)) / (BPS * BPS)
  const smaller = (borrowRatio * YIELD_UNIT) / (BPS + borrowRatio)
  const paying = borrowed[0] < borrowed[1] ? smaller : YIELD_UNIT - smaller
  return (((perUtilised * paying) / YIELD_UNIT) * BPS) / YIELD_UNIT
}

function ratioOf([interest, free]: Pair): bigint {
  const [less, more] = interest < free ? [interest, free] : [free, interest]
  return more === 0n ? 0n : (less * BPS) / more
}

/** `calculate_new_token_exchange_price`. */
export function sharePriceAt(
  { sharePrice, liquidityPrice, updatedAt }: Lending,
  at: { time: bigint; liquidity: bigint; rewards: Rewards | undefined; shares: bigint },
): bigint {
  const assets = (sharePrice * at.shares) / PRICE_UNIT
  const rewarded = at.rewards ? rewardsReturn(at.rewards, { assets, from: updatedAt, time: at.time }) : 0n
  const interest = ((at.liquidity - liquidityPrice) * RETURN_UNIT) / liquidityPrice
  return sharePrice + (sharePrice * (rewarded + interest)) / RETURN_UNIT
}

function rewardsReturn(
  { minAssets, duration, start, yearly, nextDuration, nextAmount }: Rewards,
  { assets, from, time }: { assets: bigint; from: bigint; time: bigint },
): bigint {
  if (start === 0n || time < start || assets < minAssets || assets === 0n) return 0n
  const end = start + duration
  const phase = (perYear: bigint, begins: bigint, ends: bigint) => {
    const seconds = later(earlier(time, ends) - later(from, begins), 0n)
    return (earlier((perYear * RETURN_UNIT) / assets, MAX_REWARD) * seconds) / YEAR
  }
  const next =
    nextAmount > 0n && nextDuration > 0n ? phase((nextAmount * YEAR) / nextDuration, end, end + nextDuration) : 0n
  return phase(yearly, start, end) + next
}

/** Rounded down. */
export const worth = (raw: bigint, price: bigint, scale = 1n) => (raw * price) / (PRICE_UNIT * scale)
/** Rounded up. */
export const owed = (raw: bigint, price: bigint, scale: bigint) => dividedUp(raw * price, PRICE_UNIT * scale)

/** `VaultState::load_exchange_prices`. */
export function vaultPrices(
  { prices, liquidityPrices, updatedAt }: VaultState,
  { time, liquidity, magnifiers }: { time: bigint; liquidity: Pair; magnifiers: readonly [number, number] },
): Pair {
  const seconds = later(time - updatedAt, 0n)
  const added = (side: 0 | 1) => {
    const size = prices[side] * seconds * BigInt(Math.abs(magnifiers[side]))
    const change = size / BPS / YEAR
    return magnifiers[side] < 0 ? -change : change
  }
  const growth = (side: 0 | 1) => prices[side] * ((liquidity[side] * GROWTH_UNIT) / liquidityPrices[side])
  return [growth(0) / GROWTH_UNIT + added(0), dividedUp(growth(1), GROWTH_UNIT) + added(1)]
}

/** A tick is a ratio of debt to collateral: 1.0015^tick. Source: `tick.rs`, `bn.rs`. */
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
const PARTIALS = (1n << 30n) - 1n

export const isTick = (tick: number) => tick >= -MAX_TICK && tick <= MAX_TICK

/** Times 2^48. */
export function ratioAtTick(tick: number): bigint {
  const factor = tickFactor(POWERS, 64n, tick)
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

/** `fetch_latest_position`: a ten thousandth of the debt stays, and less than a hundredth counts as nothing. */
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
