import { anchorLayout, places, struct } from '../../codec/account-data.ts'
import { KAMINO_LEND } from '../kamino-reserve.ts'

/** Offsets of version 8 of the SDK. `…Sf`: times 2^60. */
export const OBLIGATION = anchorLayout('obligation of Kamino', KAMINO_LEND, 'VEdzkJnDweW', 3344)
export const OWNER_OFFSET = 64
export const obligationFields = struct({
  tag: ['u64', 8],
  market: ['key', 32],
  owner: ['key', OWNER_OFFSET],
  elevationGroup: ['u8', 2285],
})

export const DEPOSITS = places({ from: 96, count: 8, size: 136 })
export const depositFields = struct({ reserve: ['key', 0], amount: ['u64', 32] })

export const BORROWS = places({ from: 1208, count: 5, size: 200 })
/** `cumulativeRate`: times 2^60. */
export const borrowFields = struct({ reserve: ['key', 0], cumulativeRate: ['u256', 32], amountSf: ['u128', 88] })

export const MARKET = anchorLayout('market of Kamino', KAMINO_LEND, 'iDqUHzx8skB', 4664)
/** `groups`: 32 of 72 bytes, counted from 1. */
export const marketField = { groups: 200, groupSize: 72, groupThresholdPct: 4, name: 3248 } as const
export const NAME_BYTES = 32
