import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountData, type AccountLayout, invalid, openAccount, openExisting } from '../../codec/account-data.ts'
import type { SolanaAccount } from '../../codec/solana-account.ts'
import type { DammPool, DammReward, DammVesting } from './math.ts'

export const DAMM_PROGRAM: SolanaAddress = 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG'
const REWARDS = 2

const positionLayout: AccountLayout = {
  what: 'position of Meteora DAMM',
  programs: [DAMM_PROGRAM],
  discriminator: 'VZMoMoKgZQb',
  minLength: 408,
}
const POSITION_POOL = 8
const POSITION_MINT = 40
const POSITION_FEE_CHECKPOINTS = 72
const POSITION_FEES = 136
const POSITION_UNLOCKED = 152
const POSITION_VESTED = 168
const POSITION_PERMANENT = 184
/** A checkpoint of 256 bits, what is pending, and what was claimed. */
const POSITION_REWARDS = 216
const POSITION_REWARD_BYTES = 48
const POSITION_VESTING = 312
const GROWTH_BYTES = 32

const poolLayout: AccountLayout = {
  what: 'pool of Meteora DAMM',
  programs: [DAMM_PROGRAM],
  discriminator: 'hQrXeCntzbV',
  minLength: 1_112,
}
const POOL_MINT_A = 168
const POOL_MINT_B = 200
const POOL_LIQUIDITY = 360
const POOL_SQRT_MIN = 424
const POOL_SQRT_MAX = 440
const POOL_SQRT_PRICE = 456
const POOL_COUNTS_BY = 480
const POOL_FEE_MODE = 484
const POOL_FEE_GROWTH = 488
const POOL_RESERVES = 680
const POOL_LAYOUT_VERSION = 696
const POOL_REWARDS = 728
const POOL_REWARD_BYTES = 192
const REWARD_MINT = 16
const REWARD_ENDS = 120
const REWARD_RATE = 128
const REWARD_STORED = 144
const REWARD_UPDATED = 176

const BY_TIME = 1
/** Fees of a pool are in both tokens, in the second, or in part added to its liquidity. */
const COMPOUNDING = 2
/** From this version on a pool keeps count of what it holds. */
const WITH_RESERVES = 1

/** `counters`: the fees of both tokens, then the two rewards of the pool. */
export type DammPosition = {
  address: SolanaAddress
  mint: SolanaAddress
  pool: SolanaAddress
  unlocked: bigint
  vested: bigint
  permanent: bigint
  counters: readonly { checkpoint: bigint; pending: bigint }[]
  vesting: DammVesting
}

/** `rewards`: undefined where there is none. */
export type DammPoolState = DammPool & {
  tokens: readonly [SolanaAddress, SolanaAddress]
  countsSlots: boolean
  feeGrowth: readonly [bigint, bigint]
  rewards: readonly (({ mint: SolanaAddress } & DammReward) | undefined)[]
}

export function readPosition(account: SolanaAccount): DammPosition {
  const data = openAccount(account, positionLayout)
  const fees = [0, 1].map((index) => ({
    checkpoint: u256(data, POSITION_FEE_CHECKPOINTS + index * GROWTH_BYTES),
    pending: data.u64(POSITION_FEES + index * 8),
  }))
  const rewards = Array.from({ length: REWARDS }, (_, index) => {
    const at = POSITION_REWARDS + index * POSITION_REWARD_BYTES
    return { checkpoint: u256(data, at), pending: data.u64(at + GROWTH_BYTES) }
  })
  return {
    address: data.address,
    mint: data.key(POSITION_MINT),
    pool: data.key(POSITION_POOL),
    unlocked: data.u128(POSITION_UNLOCKED),
    vested: data.u128(POSITION_VESTED),
    permanent: data.u128(POSITION_PERMANENT),
    counters: [...fees, ...rewards],
    vesting: {
      cliff: data.u64(POSITION_VESTING),
      period: data.u64(POSITION_VESTING + 8),
      atCliff: data.u128(POSITION_VESTING + 16),
      perPeriod: data.u128(POSITION_VESTING + 32),
      released: data.u128(POSITION_VESTING + 48),
      periods: BigInt(data.u16(POSITION_VESTING + 64)),
    },
  }
}

export function readPool(account: SolanaAccount | null | undefined): DammPoolState {
  const data = openExisting(account, poolLayout)
  const [mode, version] = [data.u8(POOL_FEE_MODE), data.u8(POOL_LAYOUT_VERSION)]
  if (mode > COMPOUNDING || version > WITH_RESERVES || (mode === COMPOUNDING && version < WITH_RESERVES)) {
    throw invalid(poolLayout.what, data.address, `has fee mode ${mode} in version ${version}`)
  }
  return {
    tokens: [data.key(POOL_MINT_A), data.key(POOL_MINT_B)],
    liquidity: data.u128(POOL_LIQUIDITY),
    sqrtMin: data.u128(POOL_SQRT_MIN),
    sqrtMax: data.u128(POOL_SQRT_MAX),
    sqrtPrice: data.u128(POOL_SQRT_PRICE),
    reserves: mode === COMPOUNDING ? [data.u64(POOL_RESERVES), data.u64(POOL_RESERVES + 8)] : undefined,
    countsSlots: data.u8(POOL_COUNTS_BY) !== BY_TIME,
    feeGrowth: [u256(data, POOL_FEE_GROWTH), u256(data, POOL_FEE_GROWTH + GROWTH_BYTES)],
    rewards: Array.from({ length: REWARDS }, (_, index) => rewardAt(data, POOL_REWARDS + index * POOL_REWARD_BYTES)),
  }
}

function rewardAt(data: AccountData, at: number): DammPoolState['rewards'][number] {
  if (data.u8(at) === 0) return undefined
  return {
    mint: data.key(at + REWARD_MINT),
    ends: data.u64(at + REWARD_ENDS),
    rate: data.u128(at + REWARD_RATE),
    stored: u256(data, at + REWARD_STORED),
    updated: data.u64(at + REWARD_UPDATED),
  }
}

function u256(data: AccountData, offset: number): bigint {
  return (data.u128(offset + 16) << 128n) | data.u128(offset)
}
