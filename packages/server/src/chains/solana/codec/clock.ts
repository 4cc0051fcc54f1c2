import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { layout, readAccount, type SolanaAccount } from './account-data.ts'

/** By the cluster's clock. `time`: Unix seconds. */
export type Moment = { slot: bigint; time: number }
export type SolanaClock = Moment & { epoch: bigint }

export const CLOCK_SYSVAR: SolanaAddress = 'SysvarC1ock11111111111111111111111111111111'

const CLOCK = layout(
  { what: 'clock', programs: ['Sysvar1111111111111111111111111111111111111'], minLength: 40 },
  { slot: ['u64', 0], epoch: ['u64', 16], time: ['i64', 32] },
)

export function decodeClock(account: SolanaAccount | null | undefined): SolanaClock {
  const { slot, epoch, time } = readAccount(account, CLOCK)
  return { slot, epoch, time: Number(time) }
}

/** On mainnet. */
export const SLOTS_PER_EPOCH = 432_000n
/** Target; it predicts the next epoch's start to about an hour. */
const SLOT_MS = 400n
const MS = 1_000n

/** In Unix seconds. */
export function timeOfSlot(slot: bigint, clock: Moment): bigint {
  return BigInt(clock.time) + ((slot - clock.slot) * SLOT_MS + MS - 1n) / MS
}

/** Permanent locks have the largest safe integer. */
export function unlockTime(time: bigint): number {
  return time < BigInt(Number.MAX_SAFE_INTEGER) ? Number(time) : Number.MAX_SAFE_INTEGER
}
