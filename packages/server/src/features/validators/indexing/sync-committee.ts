import { type Bits, hasBit } from '../../../beacon/beacon-request.ts'
import type { BeaconSpec } from '../../../beacon/network-requests.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { OutcomePart } from '../registry/outcome-chunk.ts'
import type { EpochReads } from './epoch-reads.ts'

export async function readSyncDuties(
  reads: EpochReads,
  epoch: number,
  validators: readonly number[],
  { slotsPerEpoch, forkEpochs: { altair } }: BeaconSpec,
): Promise<OutcomePart[]> {
  if (altair === null || epoch < altair) return []
  const seats = await reads.syncCommittee(epoch)
  const seated = new Set(seats)
  const members = validators.filter((validator) => seated.has(validator))
  if (members.length === 0) return []
  const slots = Array.from({ length: slotsPerEpoch }, (_, i) => epoch * slotsPerEpoch + i)
  return (await Promise.all(slots.map((slot) => readSlot(reads, slot, members, seats)))).flat()
}

/** A missed slot gives no member a duty. */
async function readSlot(reads: EpochReads, slot: number, members: readonly number[], seats: readonly number[]) {
  // No committee could have signed the state at genesis.
  const block = slot === 0 ? null : await reads.block(slot)
  if (!block) return []
  if (!block.syncCommitteeBits) throw new UpstreamError('invalid', `the block of slot ${slot} has no sync aggregate`)
  return syncDuties(members, seats, block.syncCommitteeBits, await reads.syncRewards(slot))
}

/** `rewards`: of the whole committee. A seat earns with its bit as much as it loses without. */
export function syncDuties(
  validators: readonly number[],
  seats: readonly number[],
  bits: Bits,
  rewards: ReadonlyMap<number, bigint>,
): OutcomePart[] {
  const tallies = tallyOf(seats, bits)
  const perSeatGwei = rewardPerSeat(tallies, rewards)
  return validators.flatMap((validator): OutcomePart[] => {
    const tally = tallies.get(validator)
    if (!tally) return []
    const { set: syncParticipations, unset: syncMissed } = tally
    const syncGwei = rewards.get(validator)
    if (!isPlausible(syncGwei, perSeatGwei * BigInt(syncParticipations - syncMissed))) {
      throw new UpstreamError('invalid', `the sync reward of validator ${validator} is ${syncGwei} gwei`)
    }
    const syncPotentialGwei = perSeatGwei * BigInt(syncParticipations + syncMissed)
    return [[validator, { syncGwei, syncPotentialGwei, syncParticipations, syncMissed }]]
  })
}

type Tally = { set: number; unset: number }

function tallyOf(seats: readonly number[], bits: Bits): Map<number, Tally> {
  const tallies = new Map<number, Tally>()
  for (const [seat, validator] of seats.entries()) {
    const tally = tallies.get(validator) ?? { set: 0, unset: 0 }
    tally[hasBit(bits, seat) ? 'set' : 'unset'] += 1
    tallies.set(validator, tally)
  }
  return tallies
}

function rewardPerSeat(tallies: ReadonlyMap<number, Tally>, rewards: ReadonlyMap<number, bigint>): bigint {
  const counts = new Map<bigint, number>()
  for (const [validator, { set, unset }] of tallies) {
    const reward = rewards.get(validator)
    if (reward === undefined || set === unset) continue
    const perSeat = reward / BigInt(set - unset)
    counts.set(perSeat, (counts.get(perSeat) ?? 0) + 1)
  }
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a)
  return most?.[0] ?? 0n
}

/** A validator without balance loses less, or nothing. */
function isPlausible(earnedGwei: bigint | undefined, expectedGwei: bigint): earnedGwei is bigint {
  if (earnedGwei === undefined) return false
  return earnedGwei === expectedGwei || (expectedGwei < earnedGwei && earnedGwei <= 0n)
}
