import type { SolanaAddress } from '../../../domain/solana-address.ts'

/** A Unix time or a slot; zero is from the beginning. */
export type Opening = { by: 'time' | 'slot'; point: bigint }

/**
 * Grows with time or slots from the opening. Allocations, which sum to `maxTotalClaimRaw` − `totalRaw`, share
 * `totalRaw`.
 */
export type Bonus = { totalRaw: bigint; duration: bigint; maxTotalClaimRaw: bigint }

/** Part paid at the start; null if the program does not publish it. */
type Ramp = { fromMillionths: bigint | null }

/** Times are Unix seconds. */
export type Distributor = {
  address: SolanaAddress
  program: SolanaAddress
  /** 32 bytes. */
  root: Uint8Array
  mint: SolanaAddress
  vault: SolanaAddress
  opening: Opening
  /** Nothing is paid before vesting begins, regardless of `opening`. */
  opensAtStart: boolean
  /** Locked amounts vest from `startTs` to `endTs`. */
  startTs: bigint
  endTs: bigint
  /** Seconds per vesting step; 1 if continuous. */
  unlockPeriod: bigint
  clawedBack: boolean
  bonus?: Bonus
  /** An early claim forgoes the rest of the unlocked amount. */
  ramp?: Ramp
  /** These fields do not show what has vested. */
  isRescheduled: boolean
  /** Absent if unlimited. */
  claimsLimit?: number
}

export type ClaimStatus = {
  address: SolanaAddress
  distributor?: SolanaAddress
  lockedRaw: bigint
  withdrawnRaw: bigint
  claimsCount?: number
  isOver: boolean
}
