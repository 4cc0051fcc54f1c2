import type { ValidatorRewardSummary } from '@coffer/contract'
import { type BeaconTimes, type EpochRange, epochsOfPeriod } from '../../domain/beacon-time.ts'
import {
  bucketPage,
  bucketsOf,
  datesOf,
  epochsWithin,
  type Granularity,
  isCovered,
  type Place,
  type RewardRange,
} from '../../domain/reward-buckets.ts'
import type { ValidatorsContext } from './context.ts'
import { inWei, presentPage } from './present.ts'
import { splitAt, wholeDays } from './ranges.ts'
import { type FindOutcomes, type Outcome, sumOutcomes } from './registry/outcome-chunk.ts'
import { trackValidator, type ValidatorId } from './tracking.ts'

type RewardQuery = RewardRange & Place & { granularity: Granularity }

/** Fully indexed buckets, newest first. */
export async function listRewards(context: ValidatorsContext, id: ValidatorId, query: RewardQuery) {
  const { chain } = context
  const validator = await trackValidator(context, id)
  const [{ times }, counted] = await Promise.all([chain.facts(), chain.countedEpochs()])
  const wanted = epochsWithin(times, query, counted)
  const buckets = wanted ? bucketsOf(times, query.granularity, wanted) : []
  const { rows, totalRows } = bucketPage(buckets, validator.covered, query)
  const sums = await sumRewards(context, times, validator, rows)
  const rewards = rows.flatMap((range, i) => (sums[i] ? [presentReward(times, { ...range, ...sums[i] })] : []))
  const isComplete = wanted === undefined || isCovered(wanted, validator.covered)
  return presentPage(rewards, totalRows, isComplete, query)
}

const MILLIONTHS = 1_000_000n

function presentReward(times: BeaconTimes, bucket: EpochRange & Outcome): ValidatorRewardSummary {
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

/** All ranges must be covered. */
export async function sumRewards(
  { store, registry }: Readonly<Record<'store' | 'registry', { outcomes: FindOutcomes }>>,
  times: BeaconTimes,
  { index, coveredOfAll }: { index: number; coveredOfAll: readonly EpochRange[] },
  ranges: readonly EpochRange[],
): Promise<Outcome[]> {
  const parts = ranges.map((range) => splitAt(range, coveredOfAll))

  async function find({ outcomes }: { outcomes: FindOutcomes }, side: 'inside' | 'outside') {
    const lists = parts.map((part) => part[side].map((range) => wholeDays(times, range)))
    const daysOf = lists.map((list) => list.flatMap(({ days }) => days))
    const edgesOf = lists.map((list) => list.flatMap(({ edges }) => edges))
    const [days, edges] = await Promise.all([outcomes('day', index, daysOf), outcomes('epoch', index, edgesOf)])
    return [
      ...days.map((day) => ({ ...day, toEpoch: epochsOfPeriod(times, 'day', day.epoch).toEpoch })),
      ...edges.map((edge) => ({ ...edge, toEpoch: edge.epoch })),
    ]
  }

  const found = await Promise.all([find(registry, 'inside'), find(store, 'outside')])
  const byPlace = Map.groupBy(found.flat(), ({ place }) => place)
  return ranges.map(({ toEpoch }, place) => {
    const ofRange = byPlace.get(place) ?? []
    return sumOutcomes(
      ofRange.map(({ outcome }) => outcome),
      ofRange.find((one) => one.toEpoch === toEpoch)?.outcome,
    )
  })
}
