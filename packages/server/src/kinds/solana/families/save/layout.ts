import type { AccountLayout } from '../../codec/account-data.ts'

/** Offsets of Save's (Solend's) accounts. `…Wads`: times 10^18. No discriminator: kinds are told apart by their length. */
export const SAVE = 'So1endDq2YkqhipRh3WViPa8hdiSpxWy6z3Z6tMCpAo'

export const OBLIGATION_BYTES = 1300
export const RESERVE_BYTES = 619
export const KNOWN_VERSION = 1

/** `entries`: deposits, then borrows. */
export const obligationField = { version: 0, market: 10, owner: 42, deposits: 202, borrows: 203, entries: 204 } as const

export const depositField = { reserve: 0, amount: 32, size: 88 } as const

export const borrowField = { reserve: 0, rateWads: 32, amountWads: 48, size: 112 } as const

export const reserveField = {
  version: 0,
  mint: 42,
  decimals: 74,
  available: 171,
  borrowedWads: 179,
  rateWads: 195,
  priceWads: 211,
  collateralSupply: 259,
  liquidationThresholdPct: 302,
  protocolFeesWads: 373,
  addedWeightBps: 445,
} as const

const programs = [SAVE]

export const OBLIGATION: AccountLayout = { what: 'obligation of Save', programs, minLength: OBLIGATION_BYTES }

export const RESERVE: AccountLayout = { what: 'reserve of Save', programs, minLength: RESERVE_BYTES }
