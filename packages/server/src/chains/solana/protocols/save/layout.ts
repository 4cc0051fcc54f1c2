import { type AccountLayout, struct } from '../../codec/account-data.ts'

/** Save (Solend). `…Wads`: times 10^18. */
export const SAVE = 'So1endDq2YkqhipRh3WViPa8hdiSpxWy6z3Z6tMCpAo'

export const OBLIGATION_BYTES = 1300
export const RESERVE_BYTES = 619
export const KNOWN_VERSION = 1

export const OWNER_OFFSET = 42
/** Counts. */
export const obligationFields = struct({ deposits: ['u8', 202], borrows: ['u8', 203] })
/** Deposits, then borrows. */
export const ENTRIES = 204

export const DEPOSIT_BYTES = 88
export const depositFields = struct({ reserve: ['key', 0], amount: ['u64', 32] })

export const BORROW_BYTES = 112
export const borrowFields = struct({ reserve: ['key', 0], rateWads: ['u128', 32], amountWads: ['u128', 48] })

export const reserveFields = struct({
  mint: ['key', 42],
  decimals: ['u8', 74],
  available: ['u64', 171],
  borrowedWads: ['u128', 179],
  rateWads: ['u128', 195],
  price: ['u128', 211],
  collateralSupply: ['u64', 259],
  thresholdPct: ['u8', 302],
  protocolFeesWads: ['u128', 373],
  addedWeightBps: ['u64', 445],
})

const programs = [SAVE]

export const OBLIGATION: AccountLayout = { what: 'obligation of Save', programs, minLength: OBLIGATION_BYTES }

export const RESERVE: AccountLayout = { what: 'reserve of Save', programs, minLength: RESERVE_BYTES }
