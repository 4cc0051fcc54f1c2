import type { ValidatorRewardSummary } from '@coffer/contract'
import type { BeaconTimes, EpochRange } from '../../../domain/beacon-time.ts'
import { datesOf } from '../../../domain/reward-buckets.ts'
import { inWei } from '../in-wei.ts'
import type { ValidatorSums } from '../validator-store.ts'

const MILLIONTHS = 1_000_000n

export function presentReward(times: BeaconTimes, bucket: EpochRange & ValidatorSums): ValidatorRewardSummary {
  const earnedGwei = bucket.attestationGwei + bucket.syncGwei + bucket.proposalGwei
  const potentialGwei = bucket.attestationIdealGwei + bucket.syncPotentialGwei + bucket.proposalPotentialGwei
  return {
    epochStart: bucket.fromEpoch,
    epochEnd: bucket.toEpoch,
    ...datesOf(times, bucket),
    consensusReward: inWei(earnedGwei - bucket.slashingGwei),
    consensusPotentialReward: inWei(potentialGwei),
    consensusEfficiency: efficiency(earnedGwei, potentialGwei),
    executionReward: (bucket.tipsWei + bucket.mevWei).toString(),
    endEffectiveBalance: inWei(bucket.effectiveBalanceGwei),
    attestationsIncluded: bucket.attestationsIncluded,
    attestationsMissed: bucket.attestationsMissed,
    syncParticipations: bucket.syncParticipations,
    syncMissed: bucket.syncMissed,
    proposedBlocks: bucket.proposedBlocks,
    missedBlocks: bucket.missedBlocks,
    mevBlocks: bucket.mevBlocks,
  }
}

/** Within 0 to 1, rounded half to even to 6 decimals; null if nothing could be earned. */
function efficiency(earned: bigint, potential: bigint): number | null {
  if (potential <= 0n) return null
  if (earned <= 0n) return 0
  if (earned >= potential) return 1
  const millionths = (earned * MILLIONTHS) / potential
  const twice = 2n * (earned * MILLIONTHS - millionths * potential)
  const isUp = twice > potential || (twice === potential && millionths % 2n === 1n)
  return Number(isUp ? millionths + 1n : millionths) / Number(MILLIONTHS)
}
