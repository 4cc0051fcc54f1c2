import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { ClaimWindow } from '../../airdrops.ts'
import { type Moment, timeOfSlot } from '../codec/clock.ts'
import type { Allocation } from './merkle-proof.ts'

/** A Unix time or a slot; zero is from the beginning. */
export type Opening = { by: 'time' | 'slot'; point: bigint }

/** Times are Unix seconds. */
export type Distributor = {
  address: SolanaAddress
  /** 32 bytes. */
  root: Uint8Array
  mint: SolanaAddress
  vault: SolanaAddress
  opening: Opening
  /** Nothing is paid before vesting begins, regardless of `opening`. */
  opensAtStart: boolean
  startTs: bigint
  endTs: bigint
  /** Seconds per vesting step; 1 if continuous. */
  unlockPeriod: bigint
  clawedBack: boolean
  /** Grows with time or slots from the opening. Allocations, which sum to `maxTotalClaimRaw` − `totalRaw`, share it. */
  bonus: { totalRaw: bigint; duration: bigint; maxTotalClaimRaw: bigint }
  /** An early claim forgoes the rest of the unlocked amount. Null: the program does not publish the part at the start. */
  ramp?: { fromMillionths: bigint | null }
  /** These fields do not show what has vested. */
  isRescheduled: boolean
  /** 0 if unlimited. */
  claimsLimit: number
}

export type ClaimStatus = {
  address: SolanaAddress
  distributor?: SolanaAddress
  lockedRaw: bigint
  withdrawnRaw: bigint
  claimsCount?: number
  isOver: boolean
}

/** `unlockAt`: Unix seconds. */
type LaterAmount = { amountRaw: bigint; unlockAt: number }

/** Base units. */
export type Outstanding = { claimableRaw: bigint; later: readonly LaterAmount[] }

const NOTHING: Outstanding = { claimableRaw: 0n, later: [] }
const MILLION = 1_000_000n

/** Throws `UpstreamError('invalid')` if a rule is unknown. */
export function outstandingOfAllocation(
  distributor: Distributor,
  allocation: Allocation,
  moment: Moment,
  { from = 0, until }: ClaimWindow = {},
): Outstanding {
  const isPast = until !== undefined && moment.time >= until
  if (distributor.clawedBack || isPast) return NOTHING
  const opensAt = Math.max(openingOf(distributor, moment), from)
  const end = Math.max(seconds(distributor.endTs), opensAt)
  if (moment.time < opensAt) {
    return { claimableRaw: 0n, later: laterOf([allocation.unlockedRaw, opensAt], [allocation.lockedRaw, end]) }
  }
  const atOnce = paidAtOnce(distributor, allocation.unlockedRaw, moment)
  const vested = vestedOf(distributor, allocation.lockedRaw, moment)
  return {
    claimableRaw: atOnce.nowRaw + vested,
    later: laterOf([atOnce.laterRaw, end], [allocation.lockedRaw - vested, end]),
  }
}

/** The unlocked part has been paid already. */
export function outstandingOfClaim(distributor: Distributor, claim: ClaimStatus, moment: Moment): Outstanding {
  const { claimsLimit } = distributor
  const isAtLimit = claimsLimit > 0 && (claim.claimsCount ?? 0) >= claimsLimit
  if (isFinished(claim) || distributor.clawedBack || isAtLimit) return NOTHING
  const vested = vestedOf(distributor, claim.lockedRaw, moment)
  const due = vested - claim.withdrawnRaw
  const claimableRaw = due > 0n ? due : 0n
  const restRaw = claim.lockedRaw - claim.withdrawnRaw - claimableRaw
  return { claimableRaw, later: laterOf([restRaw, seconds(distributor.endTs)]) }
}

export function isFinished({ isOver, lockedRaw, withdrawnRaw }: ClaimStatus): boolean {
  return isOver || withdrawnRaw >= lockedRaw
}

function laterOf(...parts: readonly (readonly [amountRaw: bigint, unlockAt: number])[]): LaterAmount[] {
  const byTime = new Map<number, bigint>()
  for (const [amountRaw, unlockAt] of parts) {
    if (amountRaw > 0n) byTime.set(unlockAt, (byTime.get(unlockAt) ?? 0n) + amountRaw)
  }
  return [...byTime].sort(([one], [other]) => one - other).map(([unlockAt, amountRaw]) => ({ amountRaw, unlockAt }))
}

function openingOf({ opening, opensAtStart, startTs }: Distributor, moment: Moment): number {
  const start = opensAtStart ? seconds(startTs) : 0
  if (opening.by === 'time') return Math.max(start, seconds(opening.point))
  if (opening.point <= moment.slot) return start
  return Math.max(start, seconds(timeOfSlot(opening.point, moment)))
}

/** Distributors use moments beyond any calendar for never. */
function seconds(time: bigint): number {
  const limited = time > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : time
  return limited < 0n ? 0 : Number(limited)
}

/** locked × elapsed ÷ duration, in whole steps, rounded down. */
function vestedOf(distributor: Distributor, lockedRaw: bigint, { time }: Moment): bigint {
  const { startTs, endTs, unlockPeriod, isRescheduled } = distributor
  const now = BigInt(time)
  if (lockedRaw === 0n || now < startTs) return 0n
  if (now >= endTs) return lockedRaw
  if (isRescheduled || unlockPeriod === 0n) throw unknownRule(distributor)
  const elapsed = now - startTs
  return (lockedRaw * (elapsed - (elapsed % unlockPeriod))) / (endTs - startTs)
}

function paidAtOnce(distributor: Distributor, unlockedRaw: bigint, moment: Moment) {
  const { ramp } = distributor
  if (ramp && BigInt(moment.time) < distributor.endTs) {
    if (ramp.fromMillionths === null) throw unknownRule(distributor)
    const fromRaw = (unlockedRaw * ramp.fromMillionths) / MILLION
    const nowRaw = fromRaw + vestedOf(distributor, unlockedRaw - fromRaw, moment)
    return { nowRaw, laterRaw: unlockedRaw - nowRaw }
  }
  return { nowRaw: unlockedRaw + bonusOf(distributor, unlockedRaw, moment), laterRaw: 0n }
}

function bonusOf({ bonus, opening }: Distributor, unlockedRaw: bigint, { time, slot }: Moment): bigint {
  const { by, point } = opening
  const without = bonus.maxTotalClaimRaw - bonus.totalRaw
  if (without <= 0n || bonus.totalRaw === 0n) return 0n
  const mostRaw = (unlockedRaw * bonus.totalRaw) / without
  const elapsed = (by === 'time' ? BigInt(time) : slot) - point
  return elapsed >= bonus.duration ? mostRaw : (mostRaw * elapsed) / bonus.duration
}

function unknownRule({ address }: Distributor): UpstreamError {
  return new UpstreamError('invalid', `merkle distributor ${address} vests by a rule that is not known`)
}
