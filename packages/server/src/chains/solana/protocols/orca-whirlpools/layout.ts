import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import {
  type AccountData,
  anchorLayout,
  invalid,
  openAccount,
  openExisting,
  places,
  type SolanaAccount,
  startsWith,
  struct,
} from '../../codec/account-data.ts'
import { addressBytes, programAddress } from '../../codec/address.ts'
import {
  arrayStart,
  emitted,
  type RangePool,
  type RangePosition,
  type RangeState,
  type Tick,
} from '../range-positions.ts'

export const WHIRLPOOL_PROGRAM: SolanaAddress = 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc'
export const TICKS_PER_ARRAY = 88
/** The last is for Splash pools, whose positions have the full range. */
export const TICK_SPACINGS = [1, 2, 4, 8, 16, 64, 96, 128, 256, 32_896]

/** Fee rates are in millionths. */
const FEE_UNITS_PER_PERCENT = 10_000

const positionLayout = anchorLayout('position of Orca', WHIRLPOOL_PROGRAM, 'VZMoMoKgZQb', 216)
const positionFields = struct({
  pool: ['key', 8],
  mint: ['key', 40],
  liquidity: ['u128', 72],
  tickLower: ['i32', 88],
  tickUpper: ['i32', 92],
})
/** Two fees, three rewards. */
const POSITION_COUNTERS = places({ from: 96, count: 5, size: 24 })
const counterFields = struct({ checkpoint: ['u128', 0], owed: ['u64', 16] })

const poolLayout = anchorLayout('pool of Orca', WHIRLPOOL_PROGRAM, 'BdrfaPg3xM6', 653)
const stateFields = struct({
  tickSpacing: ['u16', 41],
  liquidity: ['u128', 49],
  sqrtPrice: ['u128', 65],
  tick: ['i32', 81],
  tokens: ['key', 101, 181],
  vaults: ['key', 133, 213],
})
const growthFields = struct({ feeRate: ['u16', 45], fees: ['u128', 165, 245], rewardsUpdated: ['u64', 261] })
const POOL_REWARDS = places({ from: 269, count: 3, size: 128 })
/** `emission`: per second. */
const rewardFields = struct({ mint: ['key', 0], emission: ['u128', 96], growth: ['u128', 112] })

const fixedArrayLayout = anchorLayout('tick array of Orca', WHIRLPOOL_PROGRAM, 'Cc6F4MyvbgN', 9_988)
const ARRAY_START = 8
const FIXED_POOL = 9_956
/** Arrays in which an unused tick takes one byte. */
const DYNAMIC = '3z9JotG6VfM'
const dynamicArrayLayout = anchorLayout('tick array of Orca', WHIRLPOOL_PROGRAM, DYNAMIC, 148)
const DYNAMIC_POOL = 12
const DYNAMIC_TICKS = 60
/** Flag, net and gross liquidity, growth outside of two fees and three rewards. */
const TICK_BYTES = 113
const TICK_NET = 1
const TICK_GROWTH = 33
const FIXED_TICKS = places({ from: 12, count: TICKS_PER_ARRAY, size: TICK_BYTES })

export function readPosition(account: SolanaAccount): RangePosition {
  const data = openAccount(account, positionLayout)
  return { ...positionFields(data), counters: POSITION_COUNTERS.map((at) => counterFields(data, at)) }
}

export const tickArrayAddress = (pool: SolanaAddress, start: number): SolanaAddress =>
  programAddress(WHIRLPOOL_PROGRAM, ['tick_array', addressBytes(pool), start.toString()])

export function readState(account: SolanaAccount): RangeState & { feeMillionths: number } {
  const data = openAccount(account, poolLayout)
  return { ...stateFields(data), feeMillionths: growthFields(data).feeRate }
}

export function readPool(account: SolanaAccount | null | undefined, time: number): RangePool {
  const data = openExisting(account, poolLayout)
  const state = stateFields(data)
  const { feeRate, fees, rewardsUpdated } = growthFields(data)
  /** A reward accrues even with an empty vault. */
  const rewards = POOL_REWARDS.map((at) => {
    const { mint, emission, growth } = rewardFields(data, at)
    if (mint === NATIVE_SOL) return undefined
    return { mint, growth: growth + emitted(emission, BigInt(time) - rewardsUpdated, state.liquidity) }
  })
  return {
    ...state,
    label: `${feeRate / FEE_UNITS_PER_PERCENT}%`,
    counters: [{ mint: state.tokens[0], growth: fees[0] }, { mint: state.tokens[1], growth: fees[1] }, ...rewards],
  }
}

export function readTick(
  account: SolanaAccount | null | undefined,
  { pool, tick, tickSpacing }: { pool: SolanaAddress; tick: number; tickSpacing: number },
): readonly bigint[] {
  const start = arrayStart(tick, TICKS_PER_ARRAY, tickSpacing)
  const { data, ticks } = openArray(account, { pool, start })
  const at = ticks.get((tick - start) / tickSpacing)
  if (at === undefined) throw invalid(fixedArrayLayout.what, data.address, `has no tick ${tick}`)
  return places({ from: at + TICK_GROWTH, count: 5, size: 16 }).map(data.u128)
}

export function readTicks(
  account: SolanaAccount,
  { pool, start, tickSpacing }: { pool: SolanaAddress; start: number; tickSpacing: number },
): Tick[] {
  const { data, ticks } = openArray(account, { pool, start })
  return [...ticks].map(([index, at]) => ({ tick: start + index * tickSpacing, net: data.i128(at + TICK_NET) }))
}

function openArray(
  account: SolanaAccount | null | undefined,
  { pool, start }: { pool: SolanaAddress; start: number },
): { data: AccountData; ticks: ReadonlyMap<number, number> } {
  const isDynamic = account !== null && account !== undefined && startsWith(account.data, DYNAMIC)
  const layout = isDynamic ? dynamicArrayLayout : fixedArrayLayout
  const data = openExisting(account, layout)
  if (data.i32(ARRAY_START) !== start || data.key(isDynamic ? DYNAMIC_POOL : FIXED_POOL) !== pool) {
    throw invalid(layout.what, data.address, `is not that of tick ${start}`)
  }
  return {
    data,
    ticks: isDynamic ? dynamicTicks(data) : new Map([...FIXED_TICKS.entries()].filter(([, at]) => data.flag(at))),
  }
}

function dynamicTicks(data: AccountData): Map<number, number> {
  const ticks = new Map<number, number>()
  let at = DYNAMIC_TICKS
  for (let index = 0; index < TICKS_PER_ARRAY; index += 1) {
    const isUsed = data.flag(at)
    if (isUsed) ticks.set(index, at)
    at += isUsed ? TICK_BYTES : 1
  }
  return ticks
}
