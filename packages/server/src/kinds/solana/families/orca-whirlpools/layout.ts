import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import {
  type AccountData,
  type AccountLayout,
  invalid,
  openAccount,
  openExisting,
  startsWith,
} from '../../codec/account-data.ts'
import { addressBytes } from '../../codec/address-bytes.ts'
import { programAddress } from '../../codec/program-address.ts'
import type { SolanaAccount } from '../../codec/solana-account.ts'
import type { RangePool, RangePosition, RangeState, Tick } from '../range-positions.ts'
import { arrayStart, emitted } from '../tick-range.ts'

export const WHIRLPOOL_PROGRAM: SolanaAddress = 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc'
export const TICKS_PER_ARRAY = 88
/** Those of Orca's fee tiers; the last is that of Splash pools, whose positions all have the full range. */
export const TICK_SPACINGS = [1, 2, 4, 8, 16, 64, 96, 128, 256, 32_896]

const REWARDS = 3
/** The outermost ticks, either side of zero. */
const MAX_TICK = 443_636
/** Fee rates are in millionths of what is traded. */
const FEE_UNITS_PER_PERCENT = 10_000

const positionLayout: AccountLayout = {
  what: 'position of Orca',
  programs: [WHIRLPOOL_PROGRAM],
  discriminator: 'VZMoMoKgZQb',
  minLength: 216,
}
const POSITION_POOL = 8
const POSITION_MINT = 40
const POSITION_LIQUIDITY = 72
const POSITION_TICK_LOWER = 88
const POSITION_TICK_UPPER = 92
const POSITION_FEE_A = 96
const POSITION_FEE_B = 120
/** A growth checkpoint and what is owed. */
const POSITION_REWARDS = 144
const POSITION_COUNTER_BYTES = 24

const poolLayout: AccountLayout = {
  what: 'pool of Orca',
  programs: [WHIRLPOOL_PROGRAM],
  discriminator: 'BdrfaPg3xM6',
  minLength: 653,
}
const POOL_TICK_SPACING = 41
const POOL_FEE_RATE = 45
const POOL_LIQUIDITY = 49
const POOL_SQRT_PRICE = 65
const POOL_TICK = 81
const POOL_MINT_A = 101
const POOL_VAULT_A = 133
const POOL_FEE_GROWTH_A = 165
const POOL_MINT_B = 181
const POOL_VAULT_B = 213
const POOL_FEE_GROWTH_B = 245
const POOL_REWARDS_UPDATED = 261
/** Mint, vault, authority, emission by the second and growth. */
const POOL_REWARDS = 269
const POOL_REWARD_BYTES = 128
const REWARD_EMISSION = 96
const REWARD_GROWTH = 112

/** Ticks of equal size, one after the other. */
const fixedArrayLayout: AccountLayout = {
  what: 'tick array of Orca',
  programs: [WHIRLPOOL_PROGRAM],
  discriminator: 'Cc6F4MyvbgN',
  minLength: 9_988,
}
const ARRAY_START = 8
const FIXED_TICKS = 12
const FIXED_POOL = 9_956
/** Discriminator of arrays in which an unused tick takes one byte. */
const DYNAMIC = '3z9JotG6VfM'
const dynamicArrayLayout: AccountLayout = {
  what: 'tick array of Orca',
  programs: [WHIRLPOOL_PROGRAM],
  discriminator: DYNAMIC,
  minLength: 148,
}
const DYNAMIC_POOL = 12
const DYNAMIC_TICKS = 60
/** A flag, liquidity net and gross, and the growth outside of two fees and three rewards. */
const TICK_BYTES = 113
const TICK_NET = 1
const TICK_GROWTH = 33
const GROWTH_BYTES = 16

export function readPosition(account: SolanaAccount): RangePosition {
  const data = openAccount(account, positionLayout)
  const [tickLower, tickUpper] = [data.i32(POSITION_TICK_LOWER), data.i32(POSITION_TICK_UPPER)]
  if (tickLower < -MAX_TICK || tickUpper > MAX_TICK || tickLower >= tickUpper) {
    throw invalid(positionLayout.what, account.address, `has ticks ${tickLower} to ${tickUpper}`)
  }
  const counterAt = (offset: number) => ({ checkpoint: data.u128(offset), owed: data.u64(offset + GROWTH_BYTES) })
  const rewards = Array.from({ length: REWARDS }, (_, index) =>
    counterAt(POSITION_REWARDS + index * POSITION_COUNTER_BYTES),
  )
  return {
    mint: data.key(POSITION_MINT),
    pool: data.key(POSITION_POOL),
    liquidity: data.u128(POSITION_LIQUIDITY),
    tickLower,
    tickUpper,
    counters: [counterAt(POSITION_FEE_A), counterAt(POSITION_FEE_B), ...rewards],
  }
}

export const tickArrayAddress = (pool: SolanaAddress, start: number): SolanaAddress =>
  programAddress(WHIRLPOOL_PROGRAM, ['tick_array', addressBytes(pool), start.toString()])

/** What a trade meets. */
export function readState(account: SolanaAccount): RangeState & { feeMillionths: number } {
  const data = openAccount(account, poolLayout)
  return { ...stateOf(data), feeMillionths: data.u16(POOL_FEE_RATE) }
}

function stateOf(data: AccountData): RangeState {
  return {
    tokens: [data.key(POOL_MINT_A), data.key(POOL_MINT_B)],
    vaults: [data.key(POOL_VAULT_A), data.key(POOL_VAULT_B)],
    tickSpacing: data.u16(POOL_TICK_SPACING),
    tick: data.i32(POOL_TICK),
    liquidity: data.u128(POOL_LIQUIDITY),
    sqrtPrice: data.u128(POOL_SQRT_PRICE),
  }
}

export function readPool(account: SolanaAccount | null | undefined, time: number): RangePool {
  const data = openExisting(account, poolLayout)
  const state = stateOf(data)
  const [mintA, mintB] = state.tokens
  return {
    ...state,
    label: `${data.u16(POOL_FEE_RATE) / FEE_UNITS_PER_PERCENT}%`,
    counters: [
      { mint: mintA, growth: data.u128(POOL_FEE_GROWTH_A) },
      { mint: mintB, growth: data.u128(POOL_FEE_GROWTH_B) },
      ...rewardsOf(data, time),
    ],
  }
}

/** A reward goes on until its authority stops it, whether its vault still has it or not. */
function rewardsOf(data: AccountData, time: number): RangePool['counters'] {
  const seconds = BigInt(time) - data.u64(POOL_REWARDS_UPDATED)
  return Array.from({ length: REWARDS }, (_, index) => {
    const at = POOL_REWARDS + index * POOL_REWARD_BYTES
    const mint = data.key(at)
    if (mint === NATIVE_SOL) return undefined
    const since = emitted(data.u128(at + REWARD_EMISSION), seconds, data.u128(POOL_LIQUIDITY))
    return { mint, growth: data.u128(at + REWARD_GROWTH) + since }
  })
}

/** Growth outside a tick. A position with liquidity has made its ticks. */
export function readTick(
  account: SolanaAccount | null | undefined,
  { pool, tick, tickSpacing }: { pool: SolanaAddress; tick: number; tickSpacing: number },
): readonly bigint[] {
  const start = arrayStart(tick, TICKS_PER_ARRAY, tickSpacing)
  const { data, ticks } = openArray(account, { pool, start })
  const at = ticks.get((tick - start) / tickSpacing)
  if (at === undefined) throw invalid(fixedArrayLayout.what, data.address, `has no tick ${tick}`)
  return Array.from({ length: 2 + REWARDS }, (_, counter) => data.u128(at + TICK_GROWTH + counter * GROWTH_BYTES))
}

/** The ticks of an array that are in use. */
export function readTicks(
  account: SolanaAccount,
  { pool, start, tickSpacing }: { pool: SolanaAddress; start: number; tickSpacing: number },
): Tick[] {
  const { data, ticks } = openArray(account, { pool, start })
  return [...ticks].map(([index, at]) => ({ tick: start + index * tickSpacing, net: data.i128(at + TICK_NET) }))
}

/** `ticks`: where those in use are, by their number in the array. */
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
  return { data, ticks: isDynamic ? dynamicTicks(data) : fixedTicks(data) }
}

function fixedTicks(data: AccountData): Map<number, number> {
  const places = Array.from(
    { length: TICKS_PER_ARRAY },
    (_, index) => [index, FIXED_TICKS + index * TICK_BYTES] as const,
  )
  return new Map(places.filter(([, at]) => data.flag(at)))
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
