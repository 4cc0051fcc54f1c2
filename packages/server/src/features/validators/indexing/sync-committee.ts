import type { BeaconSpec } from '../../../beacon/network-requests.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { EpochReads } from './epoch-reads.ts'
import { type SyncDuty, syncDuties } from './sync-duties.ts'

export async function readSyncDuties(
  reads: EpochReads,
  epoch: number,
  validators: readonly number[],
  { slotsPerEpoch, forkEpochs: { altair } }: Pick<BeaconSpec, 'slotsPerEpoch' | 'forkEpochs'>,
): Promise<Map<number, SyncDuty>> {
  const sums = new Map<number, SyncDuty>()
  if (altair === null || epoch < altair) return sums
  const seats = await reads.syncCommittee(epoch)
  const seated = new Set(seats)
  const members = validators.filter((validator) => seated.has(validator))
  if (members.length === 0) return sums
  const slots = Array.from({ length: slotsPerEpoch }, (_, i) => epoch * slotsPerEpoch + i)
  for (const ofSlot of await Promise.all(slots.map((slot) => readSlot(reads, slot, members, seats)))) {
    for (const [validator, duty] of ofSlot) sums.set(validator, add(sums.get(validator), duty))
  }
  return sums
}

/** A missed slot gives no member a duty. */
async function readSlot(
  reads: EpochReads,
  slot: number,
  members: readonly number[],
  seats: readonly number[],
): Promise<Map<number, SyncDuty>> {
  // No committee could have signed the state at genesis.
  const block = slot === 0 ? null : await reads.block(slot)
  if (!block) return new Map()
  if (!block.syncCommitteeBits) throw new UpstreamError('invalid', `the block of slot ${slot} has no sync aggregate`)
  return syncDuties(members, seats, block.syncCommitteeBits, await reads.syncRewards(slot))
}

function add(sum: SyncDuty | undefined, duty: SyncDuty): SyncDuty {
  if (!sum) return duty
  return {
    earnedGwei: sum.earnedGwei + duty.earnedGwei,
    potentialGwei: sum.potentialGwei + duty.potentialGwei,
    participations: sum.participations + duty.participations,
    missed: sum.missed + duty.missed,
  }
}
