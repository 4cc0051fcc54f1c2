/**
 * What one validator earned and did in one epoch. Amounts in gwei unless named wei; rewards are negative where it was
 * penalised.
 */
export type ValidatorEpoch = {
  validatorIndex: number
  epoch: number
  /** Head, target, source and inactivity, as the chain credited them. */
  attestationGwei: bigint
  /** The same at its best, for the effective balance of the epoch. */
  attestationIdealGwei: bigint
  syncGwei: bigint
  syncPotentialGwei: bigint
  proposalGwei: bigint
  /** Of a block that was missed: the median of the epoch's others. */
  proposalPotentialGwei: bigint
  /** Penalties of being slashed, the initial one and that of correlation; positive. */
  slashingGwei: bigint
  /** Counted by the bits of the blocks, not by rewards. */
  attestationsIncluded: number
  attestationsMissed: number
  syncParticipations: number
  syncMissed: number
  proposedBlocks: number
  missedBlocks: number
  /** Of the proposed ones, those that a builder paid for. */
  mevBlocks: number
  /** Priority fees of the blocks that no builder paid for. */
  tipsWei: bigint
  /** What builders paid. */
  mevWei: bigint
  /** At the end of the epoch. */
  effectiveBalanceGwei: bigint
}
