import { type Decimal, decimal, fromRaw } from '../domain/decimal.ts'
import { MAX_TICK, sqrtPriceAtTick } from '../domain/tick-price.ts'

/** A pair of constant product. Amounts in base units; `feeMillionths` of what is sold stays in the pool. */
export type PairPool = { kind: 'uniswap_v2'; tokenReserve: bigint; quoteReserve: bigint; feeMillionths: number }

/**
 * A pool of concentrated liquidity, as a sale of the token meets it. Prices are √(token1 per token0) in 96 fractional bits.
 * `crossings` are the initialised ticks in the order of the sale, complete up to `knownTo`.
 */
export type RangePool = {
  kind: 'uniswap_v3'
  tokenIs0: boolean
  sqrtPriceX96: bigint
  tick: number
  /** Mean over the last half hour; `null` where the pool has not kept it. */
  meanTick: number | null
  liquidity: bigint
  quoteBalance: bigint
  crossings: readonly { tick: number; net: bigint }[]
  knownTo: number
  feeMillionths: number
}

export type Pool = PairPool | RangePool

const Q96 = 1n << 96n
const Q192 = 1n << 192n
const MILLION = 1_000_000n
/** Amounts inside a computation carry 36 more digits, so that one base unit of the cheapest token still has a price. */
const SCALE = 10n ** 36n
const SCALE_DIGITS = 36
/** Distance in ticks of 5 % in price: 1.0001^488 is 1.05. */
const MAX_TICKS_FROM_MEAN = 488

/** Spot price before the fee, in quote base units per token base unit. */
export function spotRaw(pool: Pool): Decimal {
  if (pool.kind === 'uniswap_v2') return decimal(pool.quoteReserve).div(decimal(pool.tokenReserve))
  const squared = decimal(pool.sqrtPriceX96 * pool.sqrtPriceX96)
  return pool.tokenIs0 ? squared.div(decimal(Q192)) : decimal(Q192).div(squared)
}

/**
 * How much of the quote token, in base units, backs the price. For a range pool: what its liquidity would amount to if
 * it continued at all prices, capped by the pool's balance. Quote tokens far from the price do not count.
 */
export function depthRaw(pool: Pool): bigint {
  if (pool.kind === 'uniswap_v2') return pool.quoteReserve
  const { liquidity, sqrtPriceX96, tokenIs0, quoteBalance } = pool
  const inRange = tokenIs0 ? (liquidity * sqrtPriceX96) / Q96 : (liquidity * Q96) / sqrtPriceX96
  return inRange < quoteBalance ? inRange : quoteBalance
}

/** Whether the price is more than 5 % off its mean of the last half hour; `undefined` if the pool keeps none. */
export function strayed(pool: Pool): boolean | undefined {
  if (pool.kind === 'uniswap_v2' || pool.meanTick === null) return undefined
  return Math.abs(pool.tick - pool.meanTick) > MAX_TICKS_FROM_MEAN
}

/**
 * What the pool pays for `amountRaw` (> 0) of the token in one sale, in base units of the quote token, before the pool
 * rounds down. The part beyond the ticks that were read earns nothing, so the figure is never too high.
 */
export function payoutRaw(pool: Pool, amountRaw: bigint): Decimal {
  const scaled = pool.kind === 'uniswap_v2' ? pairPayout(pool, amountRaw) : rangePayout(pool, amountRaw)
  return fromRaw(scaled, SCALE_DIGITS)
}

function pairPayout({ tokenReserve, quoteReserve, feeMillionths }: PairPool, amountRaw: bigint): bigint {
  const kept = amountRaw * (MILLION - BigInt(feeMillionths))
  return (kept * quoteReserve * SCALE) / (tokenReserve * MILLION + kept)
}

function rangePayout(pool: RangePool, amountRaw: bigint): bigint {
  const { tokenIs0 } = pool
  let left = (amountRaw * SCALE * (MILLION - BigInt(pool.feeMillionths))) / MILLION
  let from = pool.sqrtPriceX96
  let liquidity = pool.liquidity
  let paid = 0n
  for (const { tick, net } of [...pool.crossings, { tick: clampTick(pool.knownTo), net: 0n }]) {
    const to = sqrtPriceAtTick(tick)
    const room = scaledInput(tokenIs0, liquidity, from, to)
    if (left <= room) return paid + scaledOutput(tokenIs0, liquidity, from, left)
    left -= room
    paid += scaledOutput(tokenIs0, liquidity, from, room)
    liquidity += tokenIs0 ? -net : net
    from = to
  }
  return paid
}

function clampTick(tick: number): number {
  return Math.max(-MAX_TICK, Math.min(MAX_TICK, tick))
}

/** The scaled input that moves the price across a range of constant liquidity. */
function scaledInput(tokenIs0: boolean, liquidity: bigint, from: bigint, to: bigint): bigint {
  if (liquidity === 0n) return 0n
  return tokenIs0 ? (SCALE * liquidity * Q96 * (from - to)) / (from * to) : (SCALE * liquidity * (to - from)) / Q96
}

/** The scaled output for an input that stays within a range of constant liquidity. */
function scaledOutput(tokenIs0: boolean, liquidity: bigint, from: bigint, input: bigint): bigint {
  if (liquidity === 0n || input === 0n) return 0n
  return tokenIs0
    ? (SCALE * liquidity * from * from * input) / (Q96 * (SCALE * liquidity * Q96 + input * from))
    : (SCALE * input * Q192 * liquidity) / (from * (SCALE * from * liquidity + input * Q96))
}
