import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountData, type AccountLayout, invalid, openAccount, openExisting } from '../../codec/account-data.ts'
import { addressBytes } from '../../codec/address-bytes.ts'
import { bigEndianSeed, programAddress } from '../../codec/program-address.ts'
import type { SolanaAccount } from '../../codec/solana-account.ts'
import type { RangePool, RangePosition, RangeState, Tick } from '../range-positions.ts'
import { arrayStart, emitted } from '../tick-range.ts'

export const CLMM_PROGRAM: SolanaAddress = 'CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK'
export const TICKS_PER_ARRAY = 60

const REWARDS = 3
/** The outermost ticks, either side of zero. */
const MAX_TICK = 443_636

const positionLayout: AccountLayout = {
  what: 'position of Raydium',
  programs: [CLMM_PROGRAM],
  discriminator: 'CnKMFn1tsuE',
  minLength: 281,
}
const POSITION_MINT = 9
const POSITION_POOL = 41
const POSITION_TICK_LOWER = 73
const POSITION_TICK_UPPER = 77
const POSITION_LIQUIDITY = 81
const POSITION_FEE_GROWTH_0 = 97
const POSITION_FEE_GROWTH_1 = 113
const POSITION_FEE_OWED_0 = 129
const POSITION_FEE_OWED_1 = 137
/** A growth checkpoint and what is owed. */
const POSITION_REWARDS = 145
const POSITION_REWARD_BYTES = 24

const poolLayout: AccountLayout = {
  what: 'pool of Raydium CLMM',
  programs: [CLMM_PROGRAM],
  discriminator: 'iUE1qg7KXeV',
  minLength: 1_544,
}
const POOL_CONFIG = 9
const POOL_MINT_0 = 73
const POOL_MINT_1 = 105
const POOL_VAULT_0 = 137
const POOL_VAULT_1 = 169
const POOL_OBSERVATION = 201
const POOL_TICK_SPACING = 235
const POOL_LIQUIDITY = 237
const POOL_SQRT_PRICE = 253
const POOL_TICK = 269
const POOL_FEE_GROWTH_0 = 277
const POOL_FEE_GROWTH_1 = 293
const POOL_STATUS = 389
const NO_SWAPS = 1 << 4
const POOL_REWARDS = 397
const POOL_REWARD_BYTES = 169
const REWARD_OPENS = 1
const REWARD_ENDS = 9
const REWARD_UPDATED = 17
const REWARD_EMISSION = 25
const REWARD_MINT = 57
const REWARD_GROWTH = 153

const arrayLayout: AccountLayout = {
  what: 'tick array of Raydium',
  programs: [CLMM_PROGRAM],
  discriminator: 'ZDXZt35PxpR',
  minLength: 10_240,
}
const ARRAY_POOL = 8
const ARRAY_START = 40
const ARRAY_TICKS = 44
const TICK_BYTES = 168
/** The tick, liquidity net and gross, and the growth outside of two fees and three rewards. */
const TICK_NET = 4
const TICK_GROSS = 20
const TICK_GROWTH = 36
const GROWTH_BYTES = 16

export function readPosition(account: SolanaAccount): RangePosition {
  const data = openAccount(account, positionLayout)
  const [tickLower, tickUpper] = [data.i32(POSITION_TICK_LOWER), data.i32(POSITION_TICK_UPPER)]
  if (tickLower < -MAX_TICK || tickUpper > MAX_TICK || tickLower >= tickUpper) {
    throw invalid(positionLayout.what, account.address, `has ticks ${tickLower} to ${tickUpper}`)
  }
  const rewards = Array.from({ length: REWARDS }, (_, index) => {
    const at = POSITION_REWARDS + index * POSITION_REWARD_BYTES
    return { checkpoint: data.u128(at), owed: data.u64(at + GROWTH_BYTES) }
  })
  return {
    mint: data.key(POSITION_MINT),
    pool: data.key(POSITION_POOL),
    liquidity: data.u128(POSITION_LIQUIDITY),
    tickLower,
    tickUpper,
    counters: [
      { checkpoint: data.u128(POSITION_FEE_GROWTH_0), owed: data.u64(POSITION_FEE_OWED_0) },
      { checkpoint: data.u128(POSITION_FEE_GROWTH_1), owed: data.u64(POSITION_FEE_OWED_1) },
      ...rewards,
    ],
  }
}

export const tickArrayAddress = (pool: SolanaAddress, start: number): SolanaAddress =>
  programAddress(CLMM_PROGRAM, ['tick_array', addressBytes(pool), bigEndianSeed(start, 4)])

/** What a trade meets, and the accounts of its fee and of past ticks. */
export type TradedPool = { state: RangeState; config: SolanaAddress; observation: SolanaAddress; isOpen: boolean }

export function readTradedPool(account: SolanaAccount): TradedPool {
  const data = openAccount(account, poolLayout)
  return {
    state: stateOf(data),
    config: data.key(POOL_CONFIG),
    observation: data.key(POOL_OBSERVATION),
    isOpen: (data.u8(POOL_STATUS) & NO_SWAPS) === 0,
  }
}

function stateOf(data: AccountData): RangeState {
  return {
    tokens: [data.key(POOL_MINT_0), data.key(POOL_MINT_1)],
    vaults: [data.key(POOL_VAULT_0), data.key(POOL_VAULT_1)],
    tickSpacing: data.u16(POOL_TICK_SPACING),
    tick: data.i32(POOL_TICK),
    liquidity: data.u128(POOL_LIQUIDITY),
    sqrtPrice: data.u128(POOL_SQRT_PRICE),
  }
}

export function readPool(account: SolanaAccount | null | undefined, time: number): RangePool {
  const data = openExisting(account, poolLayout)
  const state = stateOf(data)
  const [mint0, mint1] = state.tokens
  return {
    ...state,
    // The fee is in another account, which only the pool names: reading it would cost a trip.
    label: 'CLMM',
    counters: [
      { mint: mint0, growth: data.u128(POOL_FEE_GROWTH_0) },
      { mint: mint1, growth: data.u128(POOL_FEE_GROWTH_1) },
      ...Array.from({ length: REWARDS }, (_, index) =>
        rewardAt(data, POOL_REWARDS + index * POOL_REWARD_BYTES, BigInt(time)),
      ),
    ],
  }
}

/** A reward is given out between two times, and is in its vault before it begins. */
function rewardAt(data: AccountData, at: number, time: bigint): RangePool['counters'][number] {
  const mint = data.key(at + REWARD_MINT)
  if (mint === NATIVE_SOL) return undefined
  const growth = data.u128(at + REWARD_GROWTH)
  if (time <= data.u64(at + REWARD_OPENS)) return { mint, growth }
  const ends = data.u64(at + REWARD_ENDS)
  const seconds = (time < ends ? time : ends) - data.u64(at + REWARD_UPDATED)
  return { mint, growth: growth + emitted(data.u128(at + REWARD_EMISSION), seconds, data.u128(POOL_LIQUIDITY)) }
}

/** Growth outside a tick. A position with liquidity has made its ticks. */
export function readTick(
  account: SolanaAccount | null | undefined,
  { pool, tick, tickSpacing }: { pool: SolanaAddress; tick: number; tickSpacing: number },
): readonly bigint[] {
  const start = arrayStart(tick, TICKS_PER_ARRAY, tickSpacing)
  const data = openArray(account, { pool, start })
  const at = ARRAY_TICKS + ((tick - start) / tickSpacing) * TICK_BYTES
  if (data.u128(at + TICK_GROSS) === 0n || data.i32(at) !== tick) {
    throw invalid(arrayLayout.what, data.address, `has no tick ${tick}`)
  }
  return Array.from({ length: 2 + REWARDS }, (_, counter) => data.u128(at + TICK_GROWTH + counter * GROWTH_BYTES))
}

/** The ticks of an array that are in use. */
export function readTicks(account: SolanaAccount, array: { pool: SolanaAddress; start: number }): Tick[] {
  const data = openArray(account, array)
  return Array.from({ length: TICKS_PER_ARRAY }, (_, index) => ARRAY_TICKS + index * TICK_BYTES).flatMap((at) =>
    data.u128(at + TICK_GROSS) === 0n ? [] : [{ tick: data.i32(at), net: data.i128(at + TICK_NET) }],
  )
}

function openArray(
  account: SolanaAccount | null | undefined,
  { pool, start }: { pool: SolanaAddress; start: number },
): AccountData {
  const data = openExisting(account, arrayLayout)
  if (data.i32(ARRAY_START) !== start || data.key(ARRAY_POOL) !== pool) {
    throw invalid(arrayLayout.what, data.address, `is not that of tick ${start}`)
  }
  return data
}
