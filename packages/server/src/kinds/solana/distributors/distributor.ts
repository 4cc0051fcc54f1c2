import type { SolanaAddress } from '../../../domain/solana-address.ts'

/** When claims open: at a Unix time, or with a slot. Zero is from the beginning. */
export type Opening = { by: 'time' | 'slot'; point: bigint }

/** Paid on top to those who claim late: grows with time or slots from the opening, by what is left of `maxTotalClaimRaw`. */
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
  /** Nothing is paid before the vesting time begins, whatever `opening` says. */
  opensAtStart: boolean
  /** Locked amounts vest between these. */
  startTs: bigint
  endTs: bigint
  /** Seconds of one step of vesting; 1 where it is continuous. */
  unlockPeriod: bigint
  clawedBack: boolean
  bonus?: Bonus
  /** Of what is not locked a part is paid at the start and the rest grows until the end; who claims early forgoes it. */
  ramp?: Ramp
  /** The vesting time was changed after it began: how much has vested does not follow from these fields. */
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
  /** Nothing more will be paid: closed, or all of it claimed and the account shrunk to that mark. */
  isOver: boolean
}
