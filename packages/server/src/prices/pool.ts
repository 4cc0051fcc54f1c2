import { type Decimal, decimal, fromRaw } from '../domain/decimal.ts'
import { MAX_TICK, sqrtPriceAtTick } from '../domain/tick-price.ts'

/** `feeMillionths` of the sold amount stays in the pool. */
export type PairPool = { kind: 'uniswap_v2'; tokenReserve: bigint; quoteReserve: bigint; feeMillionths: number }

/** `crossings`: ticks in the order of the sale, complete up to `knownTo`. */
export type RangePool = {
  kind: 'uniswap_v3'
  tokenIs0: boolean
  sqrtPriceX96: bigint
  tick: number
  /** Mean of the last half hour. Null: not recorded. */
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
const SCALE = 10n ** 36n
const SCALE_DIGITS = 36
/** 5 % in price: 1.0001^488 is 1.05. */
const MAX_TICKS_FROM_MEAN = 488

/** In quote base units per token base unit, before the fee. */
export function spotRaw(pool: Pool): Decimal {
  if (pool.kind === 'uniswap_v2') return decimal(pool.quoteReserve).div(decimal(pool.tokenReserve))
  const squared = decimal(pool.sqrtPriceX96 * pool.sqrtPriceX96)
  return pool.tokenIs0 ? squared.div(decimal(Q192)) : decimal(Q192).div(squared)
}

/** In quote base units. Range pools: as if the liquidity continued at all prices, capped by the balance. */
export function depthRaw(pool: Pool): bigint {
  if (pool.kind === 'uniswap_v2') return pool.quoteReserve
  const { liquidity, sqrtPriceX96, tokenIs0, quoteBalance } = pool
  const inRange = tokenIs0 ? (liquidity * sqrtPriceX96) / Q96 : (liquidity * Q96) / sqrtPriceX96
  return inRange < quoteBalance ? inRange : quoteBalance
}

export function strayed(pool: Pool): boolean | undefined {
  if (pool.kind === 'uniswap_v2' || pool.meanTick === null) return undefined
  return Math.abs(pool.tick - pool.meanTick) > MAX_TICKS_FROM_MEAN
}

/** In quote base units. Never too high: the part beyond the known ticks earns nothing. */
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
  const lastTick = Math.max(-MAX_TICK, Math.min(MAX_TICK, pool.knownTo))
  for (const { tick, net } of [...pool.crossings, { tick: lastTick, net: 0n }]) {
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

function scaledInput(tokenIs0: boolean, liquidity: bigint, from: bigint, to: bigint): bigint {
  if (liquidity === 0n) return 0n
  return tokenIs0 ? (SCALE * liquidity * Q96 * (from - to)) / (from * to) : (SCALE * liquidity * (to - from)) / Q96
}

function scaledOutput(tokenIs0: boolean, liquidity: bigint, from: bigint, input: bigint): bigint {
  if (liquidity === 0n || input === 0n) return 0n
  return tokenIs0
    ? (SCALE * liquidity * from * from * input) / (Q96 * (SCALE * liquidity * Q96 + input * from))
    : (SCALE * input * Q192 * liquidity) / (from * (SCALE * from * liquidity + input * Q96))
}
