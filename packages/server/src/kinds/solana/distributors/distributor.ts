import type { SolanaAddress } from '../../../domain/solana-address.ts'

/** When claims open: at a Unix time, or with a slot. Zero is from the beginning. */
export type Opening = { by: 'time' | 'slot'; point: bigint }

/**
 * Bonus for late claims. It grows with time or slots from the opening; allocations, which sum to `maxTotalClaimRaw` −
 * `totalRaw`, share `totalRaw`.
 */
export type Bonus = { totalRaw: bigint; duration: bigint; maxTotalClaimRaw: bigint }

/** The part that is paid at the start, in millionths; null where the program does not publish it. */
type Ramp = { fromMillionths: bigint | null }

/** A merkle distributor, whatever its program: what it pays, to whom, and when. Times are Unix seconds. */
export type Distributor = {
  address: SolanaAddress
  program: SolanaAddress
  /** 32 bytes. */
  root: Uint8Array
  mint: SolanaAddress
  /** The token account that claims are paid from. */
  vault: SolanaAddress
  opening: Opening
  /** Nothing is paid before vesting begins, regardless of `opening`. */
  opensAtStart: boolean
  /** Locked amounts vest between these. */
  startTs: bigint
  endTs: bigint
  /** Seconds of one step of vesting; 1 where it is continuous. */
  unlockPeriod: bigint
  clawedBack: boolean
  bonus?: Bonus
  /** Part of the unlocked amount is paid at the start, and the rest grows until the end; an early claim forgoes it. */
  ramp?: Ramp
  /** The vesting time was changed after it began, so that these fields do not show how much has vested. */
  isRescheduled: boolean
  /** How often a wallet may claim; absent where there is no limit. */
  claimsLimit?: number
}

/** What a wallet has claimed of a distributor. */
export type ClaimStatus = {
  address: SolanaAddress
  /** Absent where the layout does not hold it. */
  distributor?: SolanaAddress
  lockedRaw: bigint
  withdrawnRaw: bigint
  /** How often it has claimed, where that is counted. */
  claimsCount?: number
  /** Nothing more will be paid: the claim is closed, or all of it was claimed and the account shrunk to that mark. */
  isOver: boolean
}
