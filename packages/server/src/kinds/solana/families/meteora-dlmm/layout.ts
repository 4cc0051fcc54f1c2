import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountData, type AccountLayout, invalid, openAccount, openExisting } from '../../codec/account-data.ts'
import type { SolanaAccount } from '../../codec/solana-account.ts'
import type { Bin, BinShare, DlmmReward } from './math.ts'

export const DLMM_PROGRAM: SolanaAddress = 'LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo'
const BINS_PER_ARRAY = 70
const REWARDS = 2
const NUMBER_BYTES = 16

export const POSITION_KIND = 'LgkNAEYaVX3'
export const POSITION_OWNER = 40
const positionLayout: AccountLayout = {
  what: 'position of Meteora DLMM',
  programs: [DLMM_PROGRAM],
  discriminator: POSITION_KIND,
  minLength: 8_120,
}
const POSITION_POOL = 8
const POSITION_SHARES = 72
const POSITION_REWARDS = 1_192
const POSITION_FEES = 4_552
const POSITION_LOWER = 7_912
const POSITION_UPPER = 7_916
const POSITION_LOCKED_UNTIL = 7_992
const POSITION_FEE_OWNER = 8_001
/** Bins that the account itself has room for; those of a wider position follow, each with all that it has. */
const BASE_BINS = 70
const MAX_BINS = 1_400
const MORE_BINS = 8_120
const MORE_BIN_BYTES = 112
const MORE_BIN_REWARDS = 16
const MORE_BIN_FEES = 64
/** Two growths, then two pending amounts. */
const PAIR_BYTES = 48
const PAIR_PENDING = 32

const poolLayout: AccountLayout = {
  what: 'pool of Meteora DLMM',
  programs: [DLMM_PROGRAM],
  discriminator: '6XZoLajBWVJ',
  minLength: 904,
}
const POOL_BASE_FACTOR = 8
const POOL_FEE_POWER = 34
const POOL_FUNCTION = 35
const POOL_ACTIVE_BIN = 76
const POOL_BIN_STEP = 80
const POOL_ACTIVATION = 86
const POOL_MINT_X = 88
const POOL_MINT_Y = 120
const POOL_REWARDS = 264
const POOL_REWARD_BYTES = 144
const REWARD_ENDS = 104
const REWARD_RATE = 112
const REWARD_UPDATED = 128
/** What a pool does beside swaps. Before it is determined, a pool with rewards is one that gives rewards. */
const UNDETERMINED = 0
const LIQUIDITY_MINING = 1
const LIMIT_ORDERS = 2
const BY_TIME = 1

const arrayLayout: AccountLayout = {
  what: 'bin array of Meteora DLMM',
  programs: [DLMM_PROGRAM],
  discriminator: 'GUunkrC2gRJ',
  minLength: 10_136,
}
const ARRAY_INDEX = 8
const ARRAY_POOL = 24
const ARRAY_BINS = 56
const BIN_BYTES = 144
const BIN_SUPPLY = 32
const BIN_REWARDS = 48
const BIN_FEES = 80

/** `feeOwner`: who alone may claim the fees, where it is not the owner. `bins`: those in which there is anything. */
export type DlmmPosition = {
  address: SolanaAddress
  pool: SolanaAddress
  owner: SolanaAddress
  feeOwner: SolanaAddress | undefined
  /** A slot or a time, as the pool counts. */
  lockedUntil: bigint
  bins: readonly BinShare[]
}

/** `rewards`: undefined where there is none. */
export type DlmmPool = {
  tokens: readonly [SolanaAddress, SolanaAddress]
  activeBin: number
  /** Of what is traded, while the price is quiet. */
  feePercent: number
  countsSlots: boolean
  rewards: readonly (({ mint: SolanaAddress } & DlmmReward) | undefined)[]
}

export function readPosition(account: SolanaAccount): DlmmPosition {
  const data = openAccount(account, positionLayout)
  const [lower, upper] = [data.i32(POSITION_LOWER), data.i32(POSITION_UPPER)]
  const width = upper - lower + 1
  if (width < 1 || width > MAX_BINS) throw invalid(positionLayout.what, data.address, `has bins ${lower} to ${upper}`)
  const all = Array.from({ length: width }, (_, index) => shareAt(data, lower + index, index))
  const feeOwner = data.key(POSITION_FEE_OWNER)
  return {
    address: data.address,
    pool: data.key(POSITION_POOL),
    owner: data.key(POSITION_OWNER),
    feeOwner: feeOwner === NATIVE_SOL ? undefined : feeOwner,
    lockedUntil: data.u64(POSITION_LOCKED_UNTIL),
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
  const kind = data.u8(POOL_FUNCTION)
  if (kind > LIMIT_ORDERS) throw invalid(poolLayout.what, data.address, `has function ${kind}`)
  const mints = Array.from({ length: REWARDS }, (_, index) => data.key(POOL_REWARDS + index * POOL_REWARD_BYTES))
  const givesRewards = kind === LIQUIDITY_MINING || kind === UNDETERMINED
  return {
    tokens: [data.key(POOL_MINT_X), data.key(POOL_MINT_Y)],
    activeBin: data.i32(POOL_ACTIVE_BIN),
    feePercent: feePercent(data),
    countsSlots: data.u8(POOL_ACTIVATION) !== BY_TIME,
    rewards: mints.map((mint, index) =>
      givesRewards && mint !== NATIVE_SOL
        ? { mint, ...rewardAt(data, POOL_REWARDS + index * POOL_REWARD_BYTES) }
        : undefined,
    ),
  }
}

/** Base factor × bin step × 10 × 10^power is the base fee in 10⁻⁹ of what is traded. */
function feePercent(data: AccountData): number {
  const units = data.u16(POOL_BASE_FACTOR) * data.u16(POOL_BIN_STEP) * 10 * 10 ** data.u8(POOL_FEE_POWER)
  return units / 1e7
}

function rewardAt(data: AccountData, at: number): DlmmReward {
  return {
    rate: data.u128(at + REWARD_RATE),
    ends: data.u64(at + REWARD_ENDS),
    updated: data.u64(at + REWARD_UPDATED),
  }
}

/** A bin of the array in which it is. */
export function readBin(account: SolanaAccount | null | undefined, pool: SolanaAddress, bin: number): Bin {
  const data = openExisting(account, arrayLayout)
  const index = arrayIndex(bin)
  if (data.i64(ARRAY_INDEX) !== BigInt(index) || data.key(ARRAY_POOL) !== pool) {
    throw invalid(arrayLayout.what, data.address, `is not that of bin ${bin}`)
  }
  const at = ARRAY_BINS + (bin - index * BINS_PER_ARRAY) * BIN_BYTES
  const growth = (from: number) => [data.u128(at + from), data.u128(at + from + NUMBER_BYTES)]
  return {
    amountX: data.u64(at),
    amountY: data.u64(at + 8),
    supply: data.u128(at + BIN_SUPPLY),
    stored: [...growth(BIN_FEES), ...growth(BIN_REWARDS)],
  }
}

export function arrayIndex(bin: number): number {
  return Math.floor(bin / BINS_PER_ARRAY)
}
