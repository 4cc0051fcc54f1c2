import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import {
  anchorLayout,
  invalid,
  openAccount,
  openExisting,
  places,
  type SolanaAccount,
  struct,
} from '../../codec/account-data.ts'

export const DAMM_PROGRAM: SolanaAddress = 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG'

const positionLayout = anchorLayout('position of Meteora DAMM', DAMM_PROGRAM, 'VZMoMoKgZQb', 408)
const positionFields = struct({
  pool: ['key', 8],
  mint: ['key', 40],
  unlocked: ['u128', 152],
  vested: ['u128', 168],
  permanent: ['u128', 184],
})
const feeFields = struct({ checkpoints: ['u256', 72, 104], pending: ['u64', 136, 144] })
const POSITION_REWARDS = places({ from: 216, count: 2, size: 48 })
const counterFields = struct({ checkpoint: ['u256', 0], pending: ['u64', 32] })
const POSITION_VESTING = 312
const vestingFields = struct({
  cliff: ['u64', 0],
  period: ['u64', 8],
  atCliff: ['u128', 16],
  perPeriod: ['u128', 32],
  released: ['u128', 48],
  periods: ['u16', 64],
})

const poolLayout = anchorLayout('pool of Meteora DAMM', DAMM_PROGRAM, 'hQrXeCntzbV', 1_112)
const poolFields = struct({
  tokens: ['key', 168, 200],
  liquidity: ['u128', 360],
  sqrtMin: ['u128', 424],
  sqrtMax: ['u128', 440],
  sqrtPrice: ['u128', 456],
  feeGrowth: ['u256', 488, 520],
})
const modeFields = struct({
  countsBy: ['u8', 480],
  mode: ['u8', 484],
  reserves: ['u64', 680, 688],
  version: ['u8', 696],
})
const POOL_REWARDS = places({ from: 728, count: 2, size: 192 })
const rewardFields = struct({
  mint: ['key', 16],
  ends: ['u64', 120],
  rate: ['u128', 128],
  stored: ['u256', 144],
  updated: ['u64', 176],
})

const BY_TIME = 1
/** Fee modes: 0 both tokens, 1 second token, 2 partly added to liquidity. */
const COMPOUNDING = 2
/** Pools record reserves from this version on. */
const WITH_RESERVES = 1

/** `rate`: per second, 64 fractional bits. Times in Unix seconds. */
export type DammReward = { rate: bigint; ends: bigint; updated: bigint; stored: bigint }

/** In slots or seconds, as the pool counts. */
export type DammVesting = {
  cliff: bigint
  period: bigint
  atCliff: bigint
  perPeriod: bigint
  periods: bigint
  released: bigint
}

/** `counters`: two fees, then two rewards. */
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

/** `reserves`: for pools that compound fees and have no price range. */
export type DammPool = {
  tokens: readonly [SolanaAddress, SolanaAddress]
  liquidity: bigint
  sqrtMin: bigint
  sqrtMax: bigint
  sqrtPrice: bigint
  reserves: readonly [bigint, bigint] | undefined
  countsSlots: boolean
  feeGrowth: readonly [bigint, bigint]
  rewards: readonly (({ mint: SolanaAddress } & DammReward) | undefined)[]
}

export function readPosition(account: SolanaAccount): DammPosition {
  const data = openAccount(account, positionLayout)
  const { checkpoints, pending } = feeFields(data)
  const { periods, ...vesting } = vestingFields(data, POSITION_VESTING)
  return {
    address: data.address,
    ...positionFields(data),
    counters: [
      { checkpoint: checkpoints[0], pending: pending[0] },
      { checkpoint: checkpoints[1], pending: pending[1] },
      ...POSITION_REWARDS.map((at) => counterFields(data, at)),
    ],
    vesting: { ...vesting, periods: BigInt(periods) },
  }
}

export function readPool(account: SolanaAccount | null | undefined): DammPool {
  const data = openExisting(account, poolLayout)
  const { mode, version, reserves, countsBy } = modeFields(data)
  if (mode > COMPOUNDING || version > WITH_RESERVES || (mode === COMPOUNDING && version < WITH_RESERVES)) {
    throw invalid(poolLayout.what, data.address, `has fee mode ${mode} in version ${version}`)
  }
  return {
    ...poolFields(data),
    reserves: mode === COMPOUNDING ? reserves : undefined,
    countsSlots: countsBy !== BY_TIME,
    // Byte 0: the reward exists.
    rewards: POOL_REWARDS.map((at) => (data.u8(at) === 0 ? undefined : rewardFields(data, at))),
  }
}
