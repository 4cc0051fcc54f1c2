import type { AccountLayout } from '../../../domain/account-data.ts'

/** Offsets of Kamino Lend's accounts, as its interface (version 8 of its SDK) lays them out. `…Sf`: times 2^60. */
export const KAMINO_LEND = 'KLend2g3cP87fffoy8q1mQqGKjrxjC8boSyAYavgmjD'

export const obligationField = {
  tag: 8,
  market: 32,
  owner: 64,
  /** Eight of `collateral`. */
  deposits: 96,
  /** Five of `debt`. */
  borrows: 1208,
  elevationGroup: 2285,
} as const

export const DEPOSITS = 8
export const BORROWS = 5

export const collateralField = { reserve: 0, amount: 32, size: 136 } as const

/** `cumulativeRate`: four u64 words, times 2^60. */
export const debtField = { reserve: 0, cumulativeRate: 32, amountSf: 88, size: 200 } as const

export const reserveField = {
  version: 8,
  lastSlot: 16,
  mint: 128,
  available: 224,
  borrowedSf: 232,
  priceSf: 248,
  decimals: 272,
  cumulativeRate: 296,
  protocolFeesSf: 344,
  referrerFeesSf: 360,
  pendingReferrerFeesSf: 376,
  collateralSupply: 2592,
  hostRateBps: 4858,
  takeRatePct: 4870,
  liquidationThresholdPct: 4873,
  /** Eleven points of two u32: utilisation and rate, in basis points. */
  curve: 4920,
  borrowFactorPct: 5008,
  /** Twenty of u8; 0 is none. */
  elevationGroups: 5480,
} as const

export const CURVE_POINTS = 11
export const RESERVE_GROUPS = 20
export const RESERVE_VERSION = 1n

/** `groups`: 32 of 72 bytes, the first has the number 1. */
export const marketField = { groups: 200, groupSize: 72, groupThresholdPct: 4, name: 3248 } as const

export const NAME_BYTES = 32

const programs = [KAMINO_LEND]

export const OBLIGATION: AccountLayout & { discriminator: string } = {
  what: 'obligation of Kamino',
  programs,
  discriminator: 'VEdzkJnDweW',
  minLength: 3344,
}

export const RESERVE: AccountLayout = {
  what: 'reserve of Kamino',
  programs,
  discriminator: '8MMas8GHex6',
  minLength: 8624,
}

export const MARKET: AccountLayout = {
  what: 'market of Kamino',
  programs,
  discriminator: 'iDqUHzx8skB',
  minLength: 4664,
}
