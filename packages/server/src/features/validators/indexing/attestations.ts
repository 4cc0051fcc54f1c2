import { type Bits, hasBit } from '../../../beacon/beacon-request.ts'
import type { BeaconBlock, IncludedAttestation } from '../../../beacon/block-requests.ts'
import type { Committee } from '../../../beacon/duty-requests.ts'
import type { AttestationReward, AttestationRewards } from '../../../beacon/reward-requests.ts'
import type { ValidatorLife } from '../../../beacon/validator-requests.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { OutcomePart } from '../registry/outcome-chunk.ts'
import type { EpochReads } from './epoch-reads.ts'

export const isActive = ({ activationEpoch, exitEpoch }: ValidatorLife, epoch: number): boolean =>
  activationEpoch !== null && activationEpoch <= epoch && (exitEpoch === null || epoch < exitEpoch)

/** The end of the next epoch also penalizes slashed validators until they are withdrawable. */
const isJudged = (of: ValidatorLife, epoch: number): boolean =>
  isActive(of, epoch) || (of.slashed && of.withdrawableEpoch !== null && epoch + 1 < of.withdrawableEpoch)

/** The chain computes rewards as the next epoch ends, from the effective balances in `judged`. */
export async function readAttestations(
  reads: EpochReads,
  epoch: number,
  judged: ReadonlyMap<number, ValidatorLife>,
  slotsPerEpoch: number,
): Promise<OutcomePart[]> {
  const concerned = [...judged.values()].filter((validator) => isJudged(validator, epoch))
  if (concerned.length === 0) return []
  const indices = concerned.map(({ index }) => index)
  const rewards = await reads.attestationRewards(epoch, indices)
  const active = concerned.filter((validator) => isActive(validator, epoch)).map(({ index }) => index)
  const doubtful = active.filter((index) => !hasCredit(rewards.total.get(index)))
  const found = doubtful.length === 0 ? new Set<number>() : await findIncluded(reads, epoch, doubtful, slotsPerEpoch)
  const isMissed = new Set(doubtful.filter((index) => !found.has(index)))
  return concerned.map((validator): OutcomePart => {
    const isDue = isActive(validator, epoch)
    const isMiss = isMissed.has(validator.index)
    const attestationGwei = sumOf(rewardOf(rewards, validator, epoch))
    const attestationIdealGwei = isDue ? sumOf(idealOf(rewards, validator, epoch)) : 0n
    const [attestationsIncluded, attestationsMissed] = [isDue && !isMiss ? 1 : 0, isMiss ? 1 : 0]
    return [validator.index, { attestationGwei, attestationIdealGwei, attestationsIncluded, attestationsMissed }]
  })
}

/** A credited flag proves that the attestation is in a block. */
function hasCredit(reward: AttestationReward | undefined): boolean {
  return reward !== undefined && (reward.headGwei > 0n || reward.targetGwei > 0n || reward.sourceGwei > 0n)
}

/** Attestations also get no credit in an inactivity leak, when late, or of slashed validators. */
async function findIncluded(reads: EpochReads, epoch: number, validators: readonly number[], slotsPerEpoch: number) {
  const slots = Array.from({ length: 2 * slotsPerEpoch }, (_, i) => epoch * slotsPerEpoch + i)
  const [committees, blocks] = await Promise.all([
    reads.committees(epoch),
    Promise.all(slots.map((slot) => reads.block(slot))),
  ])
  const made = blocks.filter((block): block is BeaconBlock => block !== null)
  const { included, due } = countInclusions(validators, committees, made)
  const outsider = validators.find((index) => !due.has(index))
  if (outsider !== undefined) {
    throw new UpstreamError('invalid', `validator ${outsider} is active and in no committee of epoch ${epoch}`)
  }
  return included
}

function rewardOf({ total }: AttestationRewards, { index }: ValidatorLife, epoch: number): AttestationReward {
  const reward = total.get(index)
  if (!reward)
    throw new UpstreamError('invalid', `validator ${index} is not among the attestation rewards of epoch ${epoch}`)
  return reward
}

function idealOf({ ideal }: AttestationRewards, { effectiveBalanceGwei }: ValidatorLife, epoch: number) {
  const reward = ideal.get(effectiveBalanceGwei)
  if (reward) return reward
  throw new UpstreamError('invalid', `there is no ideal reward for ${effectiveBalanceGwei} gwei in epoch ${epoch}`)
}

function sumOf(of: AttestationReward): bigint {
  return of.headGwei + of.targetGwei + of.sourceGwei + of.inactivityGwei + of.inclusionDelayGwei
}

type Duty = { validator: number; slot: number; committee: number; place: number }

/** `blocks`: of the epoch and the next, which may include its attestations. */
export function countInclusions(
  validators: readonly number[],
  committees: readonly Committee[],
  blocks: readonly BeaconBlock[],
): { included: Set<number>; due: Set<number> } {
  const bySlot = Map.groupBy(dutiesOf(new Set(validators), committees), ({ slot }) => slot)
  const sizes = new Map(committees.map(({ slot, index, validators: members }) => [`${slot} ${index}`, members.length]))
  const included = new Set<number>()
  for (const { attestations } of blocks) {
    for (const attestation of attestations) {
      for (const { validator, committee, place } of bySlot.get(attestation.slot) ?? []) {
        const bit = bitOf(attestation, committee, (index) => sizes.get(`${attestation.slot} ${index}`) ?? 0)
        if (bit !== undefined && hasBit(attestation.aggregationBits, bit + place)) included.add(validator)
      }
    }
  }
  return { included, due: new Set([...bySlot.values()].flat().map(({ validator }) => validator)) }
}

function dutiesOf(wanted: ReadonlySet<number>, committees: readonly Committee[]): Duty[] {
  return committees.flatMap(({ slot, index, validators }) =>
    validators.flatMap((validator, place) =>
      wanted.has(validator) ? [{ validator, slot, committee: index, place }] : [],
    ),
  )
}

/** Returns the committee's first bit; undefined for another committee. */
function bitOf(attestation: IncludedAttestation, committee: number, sizeOf: (index: number) => number) {
  const { committeeIndex, committeeBits } = attestation
  if (!committeeBits) return committeeIndex === committee ? 0 : undefined
  if (!hasBit(committeeBits, committee)) return undefined
  return indicesBelow(committeeBits, committee).reduce((sum, index) => sum + sizeOf(index), 0)
}

function indicesBelow(bits: Bits, end: number): number[] {
  return Array.from({ length: end }, (_, index) => index).filter((index) => hasBit(bits, index))
}
