import type { AccountLayout } from '../../codec/account-data.ts'
import { KAMINO_LEND } from '../kamino-reserve.ts'

/** Offsets of Kamino Lend's accounts, as its interface (version 8 of its SDK) lays them out. `…Sf`: times 2^60. */
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

export const MARKET: AccountLayout = {
  what: 'market of Kamino',
  programs,
  discriminator: 'iDqUHzx8skB',
  minLength: 4664,
}
