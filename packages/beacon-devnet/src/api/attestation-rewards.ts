import { INACTIVITY_PENALTY_QUOTIENT_BELLATRIX } from '@lodestar/params'
import {
  beforeProcessEpoch,
  type CachedBeaconStateAltair,
  type CachedBeaconStateExecutions,
  computeAttestationsRewards,
} from '@lodestar/state-transition'
import { processInactivityUpdates, processJustificationAndFinalization } from '@lodestar/state-transition/epoch'
import type { rewards } from '@lodestar/types'
import type { BeaconChain } from '../chain/beacon-chain.ts'

type Ids = (string | number)[]

/** Lodestar's answer. In a leak it differs from what the chain takes. */
export const lodestarAttestationRewards = (
  { config, pubkeyCache }: BeaconChain,
  state: CachedBeaconStateExecutions,
  ids: Ids,
): Promise<rewards.AttestationsRewards> => computeAttestationsRewards(config, pubkeyCache, state, ids)

/** For the previous epoch's votes, after updates of finality and inactivity; Lodestar's function omits the updates. */
export const attestationRewards = async (
  { config, pubkeyCache }: BeaconChain,
  state: CachedBeaconStateExecutions,
  ids: Ids,
): Promise<rewards.AttestationsRewards> => {
  const judged = state.clone() as CachedBeaconStateExecutions
  const cache = beforeProcessEpoch(judged)
  processJustificationAndFinalization(judged, cache)
  processInactivityUpdates(judged as unknown as CachedBeaconStateAltair, cache)
  const { idealRewards, totalRewards } = await computeAttestationsRewards(config, pubkeyCache, judged, ids)
  const denominator = BigInt(config.INACTIVITY_SCORE_BIAS) * BigInt(INACTIVITY_PENALTY_QUOTIENT_BELLATRIX)
  const inactivityOf = (index: number): number => {
    const { effectiveBalance } = judged.validators.getReadonly(index)
    return -Number((BigInt(effectiveBalance) * BigInt(judged.inactivityScores.get(index))) / denominator)
  }
  return {
    idealRewards,
    totalRewards: totalRewards.map((row) => ({
      ...row,
      inactivity: row.target < 0 ? inactivityOf(row.validatorIndex) : 0,
    })),
  }
}
