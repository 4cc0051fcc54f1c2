import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import {
  type AccountOf,
  anchorLayout,
  invalid,
  list,
  readAccount,
  type SolanaAccount,
} from '../../codec/account-data.ts'
import { addressBytes, bigEndianSeed, programAddress } from '../../codec/address.ts'
import type { SolanaAdapter } from '../adapter.ts'
import { positionAddresses } from '../position-nfts.ts'
import {
  emitted,
  type RangePool,
  type RangePosition,
  type RangeProtocol,
  readRangePositions,
  type TickArray,
  tickFactor,
} from '../range-positions.ts'

const CLMM_PROGRAM: SolanaAddress = 'CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK'
const TICKS_PER_ARRAY = 60

const POSITION = anchorLayout('position of Raydium', CLMM_PROGRAM, 'CnKMFn1tsuE', 281, {
  mint: ['key', 9],
  pool: ['key', 41],
  tickLower: ['i32', 73],
  tickUpper: ['i32', 77],
  liquidity: ['u128', 81],
  checkpoints: ['u128', 97, 113],
  owed: ['u64', 129, 137],
  rewards: list({ from: 145, count: 3, size: 24 }, { checkpoint: ['u128', 0], owed: ['u64', 16] }),
})

const POOL = anchorLayout('pool of Raydium CLMM', CLMM_PROGRAM, 'iUE1qg7KXeV', 1_544, {
  config: ['key', 9],
  tokens: ['key', 73, 105],
  vaults: ['key', 137, 169],
  observation: ['key', 201],
  tickSpacing: ['u16', 235],
  liquidity: ['u128', 237],
  sqrtPrice: ['u128', 253],
  tick: ['i32', 269],
  feeGrowth: ['u128', 277, 293],
  status: ['u8', 389],
  rewards: list(
    { from: 397, count: 3, size: 169 },
    {
      opens: ['u64', 1],
      ends: ['u64', 9],
      updated: ['u64', 17],
      emission: ['u128', 25],
      mint: ['key', 57],
      growth: ['u128', 153],
    },
  ),
})
const NO_SWAPS = 1 << 4

const ARRAY = anchorLayout('tick array of Raydium', CLMM_PROGRAM, 'ZDXZt35PxpR', 10_240, {
  pool: ['key', 8],
  start: ['i32', 40],
  ticks: list({ from: 44, count: TICKS_PER_ARRAY, size: 168 }, { tick: ['i32', 0], gross: ['u128', 20] }),
})

export const clmm: RangeProtocol = {
  program: CLMM_PROGRAM,
  ticksPerArray: TICKS_PER_ARRAY,
  tickSpacings: [1, 10, 60, 120],
  positionAddress: positionAddresses(CLMM_PROGRAM),
  tickArrayAddress: (pool, start) =>
    programAddress(CLMM_PROGRAM, ['tick_array', addressBytes(pool), bigEndianSeed(start, 4)]),
  readPosition,
  readPool,
  openTicks,
  tickAt: { net: 4, growth: 36 },
  sqrtPriceAtTick,
}

/** Before token transfer fees. Limit orders are not read. */
export const raydiumClmm: SolanaAdapter = {
  key: 'raydium',
  title: 'Raydium',
  siteUrl: 'https://raydium.io',

  positions: (scope) => readRangePositions(scope, clmm),
}

/** Undefined: closed to trade. */
export function readOpenPool(account: SolanaAccount): AccountOf<typeof POOL> | undefined {
  const pool = readAccount(account, POOL)
  return (pool.status & NO_SWAPS) === 0 ? pool : undefined
}

function readPosition(account: SolanaAccount): RangePosition {
  const { checkpoints, owed, rewards, ...position } = readAccount(account, POSITION)
  return {
    ...position,
    counters: [
      { checkpoint: checkpoints[0], owed: owed[0] },
      { checkpoint: checkpoints[1], owed: owed[1] },
      ...rewards,
    ],
  }
}

function readPool(account: SolanaAccount | null | undefined, time: number): RangePool {
  const { feeGrowth, rewards, ...state } = readAccount(account, POOL)
  return {
    ...state,
    // Reading the fee account would cost a round trip.
    label: 'CLMM',
    counters: [
      { mint: state.tokens[0], growth: feeGrowth[0] },
      { mint: state.tokens[1], growth: feeGrowth[1] },
      ...rewards.map((reward) => rewardGrown(reward, state.liquidity, BigInt(time))),
    ],
  }
}

function rewardGrown(reward: AccountOf<typeof POOL>['rewards'][number], liquidity: bigint, time: bigint) {
  const { mint, opens, ends, updated, emission, growth } = reward
  if (mint === NATIVE_SOL) return undefined
  if (time <= opens) return { mint, growth }
  const seconds = (time < ends ? time : ends) - updated
  return { mint, growth: growth + emitted(emission, seconds, liquidity) }
}

function openTicks(account: SolanaAccount | null | undefined, { pool, start }: TickArray) {
  const array = readAccount(account, ARRAY)
  if (array.start !== start || array.pool !== pool) {
    throw invalid(ARRAY.what, array.address, `is not that of tick ${start}`)
  }
  const used = array.ticks.flatMap(({ tick, gross }, index) =>
    gross > 0n ? [[tick, ARRAY.fields.ticks.places[index] ?? 0] as const] : [],
  )
  return { data: array.data, places: new Map(used) }
}

/** √1.0001^-(2^i) in 64 fractional bits, from the program. */
const TICK_FACTORS = [
  0xfffcb933bd6fb800n,
  0xfff97272373d4000n,
  0xfff2e50f5f657000n,
  0xffe5caca7e10f000n,
  0xffcb9843d60f7000n,
  0xff973b41fa98e800n,
  0xff2ea16466c9b000n,
  0xfe5dee046a9a3800n,
  0xfcbe86c7900bb000n,
  0xf987a7253ac65800n,
  0xf3392b0822bb6000n,
  0xe7159475a2caf000n,
  0xd097f3bdfd2f2000n,
  0xa9f746462d9f8000n,
  0x70d869a156f31c00n,
  0x31be135f97ed3200n,
  0x9aa508b5b85a500n,
  0x5d6af8dedc582cn,
  0x2216e584f5fan,
] as const

const MAX_128 = (1n << 128n) - 1n

/** In 64 fractional bits, bit for bit as the program computes it. */
export function sqrtPriceAtTick(tick: number): bigint {
  const ratio = tickFactor(TICK_FACTORS, 64n, tick)
  return tick > 0 ? MAX_128 / ratio : ratio
}
