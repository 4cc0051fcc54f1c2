import type { ValidatorRewardSummary } from '@coffer/contract'
import {
  bucketPage,
  bucketsOf,
  epochsWithin,
  type Granularity,
  isCovered,
  type Place,
  type RewardRange,
} from '../../../domain/reward-buckets.ts'
import type { BeaconFacts } from '../beacon-chain.ts'
import type { CountedEpochs } from '../counted-epochs.ts'
import { type PresentedPage, presentPage } from '../present-page.ts'
import type { Tracking, ValidatorId } from '../tracking.ts'
import { presentReward } from './present-reward.ts'
import type { SumRewards } from './sum-rewards.ts'

export type RewardQuery = RewardRange & Place & { granularity: Granularity }

export type Rewards = ReturnType<typeof createRewards>

export function createRewards({
  sumRewards,
  chain,
  countedEpochs,
  tracking,
}: {
  sumRewards: SumRewards
  chain: { facts(): Promise<Pick<BeaconFacts, 'times'>> }
  countedEpochs: CountedEpochs
  tracking: Tracking
}) {
  /** Lists fully indexed buckets, newest first. NOT_FOUND for an unknown validator. */
  async function list(id: ValidatorId, query: RewardQuery): Promise<PresentedPage<ValidatorRewardSummary>> {
    const validator = await tracking.open(id)
    const [{ times }, counted] = await Promise.all([chain.facts(), countedEpochs()])
    const wanted = epochsWithin(times, query, counted)
    const buckets = wanted ? bucketsOf(times, query.granularity, wanted) : []
    const { rows, totalRows } = bucketPage(buckets, validator.covered, query)
    const sums = await sumRewards(times, validator, rows)
    const rewards = rows.flatMap((range, i) => (sums[i] ? [presentReward(times, { ...range, ...sums[i] })] : []))
    const isComplete = wanted === undefined || isCovered(wanted, validator.covered)
    return presentPage({ rows: rewards, totalRows, isComplete, ...query })
  }

  return { list }
}
