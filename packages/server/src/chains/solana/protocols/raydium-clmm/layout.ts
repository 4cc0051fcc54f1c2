import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import {
  type AccountData,
  anchorLayout,
  invalid,
  openAccount,
  openExisting,
  places,
  type SolanaAccount,
  struct,
} from '../../codec/account-data.ts'
import { addressBytes, bigEndianSeed, programAddress } from '../../codec/address.ts'
import {
  arrayStart,
  emitted,
  type RangePool,
  type RangePosition,
  type RangeState,
  type Tick,
} from '../range-positions.ts'

export const CLMM_PROGRAM: SolanaAddress = 'CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK'
export const TICKS_PER_ARRAY = 60

const positionLayout = anchorLayout('position of Raydium', CLMM_PROGRAM, 'CnKMFn1tsuE', 281)
const positionFields = struct({
  mint: ['key', 9],
  pool: ['key', 41],
  tickLower: ['i32', 73],
  tickUpper: ['i32', 77],
  liquidity: ['u128', 81],
})
const feeFields = struct({ checkpoints: ['u128', 97, 113], owed: ['u64', 129, 137] })
const POSITION_REWARDS = places({ from: 145, count: 3, size: 24 })
const rewardCounterFields = struct({ checkpoint: ['u128', 0], owed: ['u64', 16] })

const poolLayout = anchorLayout('pool of Raydium CLMM', CLMM_PROGRAM, 'iUE1qg7KXeV', 1_544)
const stateFields = struct({
  tokens: ['key', 73, 105],
  vaults: ['key', 137, 169],
  tickSpacing: ['u16', 235],
  liquidity: ['u128', 237],
  sqrtPrice: ['u128', 253],
  tick: ['i32', 269],
})
const tradeFields = struct({ config: ['key', 9], observation: ['key', 201], status: ['u8', 389] })
const NO_SWAPS = 1 << 4
const POOL_FEE_GROWTH = [277, 293] as const
const POOL_REWARDS = places({ from: 397, count: 3, size: 169 })
const rewardFields = struct({
  opens: ['u64', 1],
  ends: ['u64', 9],
  updated: ['u64', 17],
  emission: ['u128', 25],
  mint: ['key', 57],
  growth: ['u128', 153],
})

const arrayLayout = anchorLayout('tick array of Raydium', CLMM_PROGRAM, 'ZDXZt35PxpR', 10_240)
const arrayFields = struct({ pool: ['key', 8], start: ['i32', 40] })
const FIRST_TICK = 44
const TICK_BYTES = 168
const tickFields = struct({ tick: ['i32', 0], net: ['i128', 4], gross: ['u128', 20] })
/** Two fees, three rewards. */
const TICK_GROWTH = 36

export function readPosition(account: SolanaAccount): RangePosition {
  const data = openAccount(account, positionLayout)
  const { checkpoints, owed } = feeFields(data)
  return {
    ...positionFields(data),
    counters: [
      { checkpoint: checkpoints[0], owed: owed[0] },
      { checkpoint: checkpoints[1], owed: owed[1] },
      ...POSITION_REWARDS.map((at) => rewardCounterFields(data, at)),
    ],
  }
}

export const tickArrayAddress = (pool: SolanaAddress, start: number): SolanaAddress =>
  programAddress(CLMM_PROGRAM, ['tick_array', addressBytes(pool), bigEndianSeed(start, 4)])

type TradedPool = { state: RangeState; config: SolanaAddress; observation: SolanaAddress; isOpen: boolean }

export function readTradedPool(account: SolanaAccount): TradedPool {
  const data = openAccount(account, poolLayout)
  const { status, ...accounts } = tradeFields(data)
  return { state: stateFields(data), ...accounts, isOpen: (status & NO_SWAPS) === 0 }
}

export function readPool(account: SolanaAccount | null | undefined, time: number): RangePool {
  const data = openExisting(account, poolLayout)
  const state = stateFields(data)
  return {
    ...state,
    // Reading the fee account would cost a round trip.
    label: 'CLMM',
    counters: [
      { mint: state.tokens[0], growth: data.u128(POOL_FEE_GROWTH[0]) },
      { mint: state.tokens[1], growth: data.u128(POOL_FEE_GROWTH[1]) },
      ...POOL_REWARDS.map((at) => rewardGrown(rewardFields(data, at), state.liquidity, BigInt(time))),
    ],
  }
}

function rewardGrown(reward: ReturnType<typeof rewardFields>, liquidity: bigint, time: bigint) {
  const { mint, opens, ends, updated, emission, growth } = reward
  if (mint === NATIVE_SOL) return undefined
  if (time <= opens) return { mint, growth }
  const seconds = (time < ends ? time : ends) - updated
  return { mint, growth: growth + emitted(emission, seconds, liquidity) }
}

export function readTick(
  account: SolanaAccount | null | undefined,
  { pool, tick, tickSpacing }: { pool: SolanaAddress; tick: number; tickSpacing: number },
): readonly bigint[] {
  const start = arrayStart(tick, TICKS_PER_ARRAY, tickSpacing)
  const data = openArray(account, { pool, start })
  const at = FIRST_TICK + ((tick - start) / tickSpacing) * TICK_BYTES
  const own = tickFields(data, at)
  if (own.gross === 0n || own.tick !== tick) throw invalid(arrayLayout.what, data.address, `has no tick ${tick}`)
  return places({ from: at + TICK_GROWTH, count: 5, size: 16 }).map(data.u128)
}

export function readTicks(account: SolanaAccount, array: { pool: SolanaAddress; start: number }): Tick[] {
  const data = openArray(account, array)
  const all = places({ from: FIRST_TICK, count: TICKS_PER_ARRAY, size: TICK_BYTES }).map((at) => tickFields(data, at))
  return all.filter(({ gross }) => gross > 0n)
}

function openArray(
  account: SolanaAccount | null | undefined,
  { pool, start }: { pool: SolanaAddress; start: number },
): AccountData {
  const data = openExisting(account, arrayLayout)
  const own = arrayFields(data)
  if (own.start !== start || own.pool !== pool) {
    throw invalid(arrayLayout.what, data.address, `is not that of tick ${start}`)
  }
  return data
}
