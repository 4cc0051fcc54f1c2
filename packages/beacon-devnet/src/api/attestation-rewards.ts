import { ForkSeq, INACTIVITY_PENALTY_QUOTIENT_ALTAIR, INACTIVITY_PENALTY_QUOTIENT_BELLATRIX } from '@lodestar/params'
import {
  beforeProcessEpoch,
  type CachedBeaconStateAltair,
  type CachedBeaconStateExecutions,
  computeAttestationsRewards,
} from '@lodestar/state-transition'
import { processInactivityUpdates, processJustificationAndFinalization } from '@lodestar/state-transition/epoch'
import type { BeaconChain } from '../chain/beacon-chain.ts'

const EFFECTIVE_BALANCE_INCREMENT_GWEI = 1_000_000_000n

/**
 * What the transition at the end of this state's epoch pays for the epoch before it. Lodestar's own rewards are worked out
 * before the transition has looked at finality and inactivity, and with Altair's quotient: outside of a leak that makes no
 * difference, within one it does.
 */
export const attestationRewards = async (
  { config, pubkeyCache }: BeaconChain,
  state: CachedBeaconStateExecutions,
  validatorIds: (number | string)[],
) => {
  const judged = state.clone()
  const cache = beforeProcessEpoch(judged)
  processJustificationAndFinalization(judged, cache)
  processInactivityUpdates(judged as unknown as CachedBeaconStateAltair, cache)
  const rewards = await computeAttestationsRewards(config, pubkeyCache, judged, validatorIds)
  const isBellatrix = config.getForkSeq(state.slot) >= ForkSeq.bellatrix
  const quotient = isBellatrix ? INACTIVITY_PENALTY_QUOTIENT_BELLATRIX : INACTIVITY_PENALTY_QUOTIENT_ALTAIR
  const inactivityOf = (index: number): number => {
    const increments = BigInt(judged.epochCtx.effectiveBalanceIncrements[index] ?? 0)
    const score = BigInt(judged.inactivityScores.get(index))
    const taken = increments * EFFECTIVE_BALANCE_INCREMENT_GWEI * score
    return -Number(taken / (BigInt(config.INACTIVITY_SCORE_BIAS) * BigInt(quotient)))
  }
  return {
    ...rewards,
    totalRewards: rewards.totalRewards.map((reward) =>
      reward.inactivity === 0 ? reward : { ...reward, inactivity: inactivityOf(reward.validatorIndex) },
    ),
  }
}
