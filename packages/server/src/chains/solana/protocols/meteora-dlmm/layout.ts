import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import {
  type AccountData,
  anchorLayout,
  invalid,
  openExisting,
  places,
  type SolanaAccount,
  struct,
} from '../../codec/account-data.ts'

export const DLMM_PROGRAM: SolanaAddress = 'LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo'
const BINS_PER_ARRAY = 70
const NUMBER_BYTES = 16

export const positionLayout = anchorLayout('position of Meteora DLMM', DLMM_PROGRAM, 'LgkNAEYaVX3', 8_120)
export const POSITION_OWNER = 40
const positionFields = struct({
  pool: ['key', 8],
  owner: ['key', POSITION_OWNER],
  lower: ['i32', 7_912],
  upper: ['i32', 7_916],
  lockedUntil: ['u64', 7_992],
  feeOwner: ['key', 8_001],
})
const POSITION_SHARES = 72
const POSITION_REWARDS = 1_192
const POSITION_FEES = 4_552
/** Further bins follow the base account, each with all its fields. */
const BASE_BINS = 70
const MAX_BINS = 1_400
const MORE_BINS = 8_120
const MORE_BIN_BYTES = 112
const MORE_BIN_REWARDS = 16
const MORE_BIN_FEES = 64
/** Two growths, then two pending amounts. */
const PAIR_BYTES = 48
const PAIR_PENDING = 32

const poolLayout = anchorLayout('pool of Meteora DLMM', DLMM_PROGRAM, '6XZoLajBWVJ', 904)
const poolFields = struct({
  baseFactor: ['u16', 8],
  feePower: ['u8', 34],
  kind: ['u8', 35],
  activeBin: ['i32', 76],
  binStep: ['u16', 80],
  activation: ['u8', 86],
  tokens: ['key', 88, 120],
})
const POOL_REWARDS = places({ from: 264, count: 2, size: 144 })
const rewardFields = struct({ mint: ['key', 0], ends: ['u64', 104], rate: ['u128', 112], updated: ['u64', 128] })
/** An undetermined pool may give rewards. */
const UNDETERMINED = 0
const LIQUIDITY_MINING = 1
const LIMIT_ORDERS = 2
const BY_TIME = 1

const arrayLayout = anchorLayout('bin array of Meteora DLMM', DLMM_PROGRAM, 'GUunkrC2gRJ', 10_136)
const arrayFields = struct({ index: ['i64', 8], pool: ['key', 24] })
const ARRAY_BINS = 56
const BIN_BYTES = 144
const binFields = struct({
  amountX: ['u64', 0],
  amountY: ['u64', 8],
  supply: ['u128', 32],
  rewards: ['u128', 48, 64],
  fees: ['u128', 80, 96],
})

/** Shares and growth have 64 fractional bits. */
export type BinShare = {
  bin: number
  share: bigint
  /** Two fees, then two rewards. */
  counters: readonly { complete: bigint; pending: bigint }[]
}

/** `stored`: earnings per share. */
export type Bin = { amountX: bigint; amountY: bigint; supply: bigint; stored: readonly bigint[] }

/** `rate`: per second, 64 fractional bits. */
export type DlmmReward = { rate: bigint; ends: bigint; updated: bigint }

/** `feeOwner`: sole claimant of the fees. `bins`: non-empty ones. */
export type DlmmPosition = {
  address: SolanaAddress
  pool: SolanaAddress
  owner: SolanaAddress
  feeOwner: SolanaAddress | undefined
  /** Slot or Unix seconds. */
  lockedUntil: bigint
  bins: readonly BinShare[]
}

export type DlmmPool = {
  tokens: readonly [SolanaAddress, SolanaAddress]
  activeBin: number
  /** At low volatility. */
  feePercent: number
  countsSlots: boolean
  rewards: readonly (({ mint: SolanaAddress } & DlmmReward) | undefined)[]
}

export function readPosition(data: AccountData): DlmmPosition {
  const { lower, upper, feeOwner, ...position } = positionFields(data)
  const width = upper - lower + 1
  if (width < 1 || width > MAX_BINS) throw invalid(positionLayout.what, data.address, `has bins ${lower} to ${upper}`)
  const all = Array.from({ length: width }, (_, index) => shareAt(data, lower + index, index))
  return {
    address: data.address,
    ...position,
    feeOwner: feeOwner === NATIVE_SOL ? undefined : feeOwner,
    bins: all.filter(({ share, counters }) => share > 0n || counters.some(({ pending }) => pending > 0n)),
  }
}

function shareAt(data: AccountData, bin: number, index: number): BinShare {
  const more = MORE_BINS + (index - BASE_BINS) * MORE_BIN_BYTES
  const isMore = index >= BASE_BINS
  const fees = isMore ? more + MORE_BIN_FEES : POSITION_FEES + index * PAIR_BYTES
  const rewards = isMore ? more + MORE_BIN_REWARDS : POSITION_REWARDS + index * PAIR_BYTES
  const counter = (pair: number, which: number) => ({
    complete: data.u128(pair + which * NUMBER_BYTES),
    pending: data.u64(pair + PAIR_PENDING + which * 8),
  })
  return {
    bin,
    share: data.u128(isMore ? more : POSITION_SHARES + index * NUMBER_BYTES),
    counters: [counter(fees, 0), counter(fees, 1), counter(rewards, 0), counter(rewards, 1)],
  }
}

export function readPool(account: SolanaAccount | null | undefined): DlmmPool {
  const data = openExisting(account, poolLayout)
  const { kind, baseFactor, binStep, feePower, activation, ...pool } = poolFields(data)
  if (kind > LIMIT_ORDERS) throw invalid(poolLayout.what, data.address, `has function ${kind}`)
  const givesRewards = kind === LIQUIDITY_MINING || kind === UNDETERMINED
  const rewards = POOL_REWARDS.map((at) => rewardFields(data, at))
  return {
    ...pool,
    // Base fee in 10⁻⁹: base factor × bin step × 10 × 10^power.
    feePercent: (baseFactor * binStep * 10 * 10 ** feePower) / 1e7,
    countsSlots: activation !== BY_TIME,
    rewards: rewards.map((reward) => (givesRewards && reward.mint !== NATIVE_SOL ? reward : undefined)),
  }
}

export function readBin(account: SolanaAccount | null | undefined, pool: SolanaAddress, bin: number): Bin {
  const data = openExisting(account, arrayLayout)
  const array = arrayFields(data)
  const index = arrayIndex(bin)
  if (array.index !== BigInt(index) || array.pool !== pool) {
    throw invalid(arrayLayout.what, data.address, `is not that of bin ${bin}`)
  }
  const { fees, rewards, ...own } = binFields(data, ARRAY_BINS + (bin - index * BINS_PER_ARRAY) * BIN_BYTES)
  return { ...own, stored: [...fees, ...rewards] }
}

export function arrayIndex(bin: number): number {
  return Math.floor(bin / BINS_PER_ARRAY)
}
