/** In gwei unless named wei; negative for penalties. */
export type ValidatorEpoch = {
  validatorIndex: number
  epoch: number
  /** Head, target, source and inactivity. */
  attestationGwei: bigint
  /** At best, for the epoch's effective balance. */
  attestationIdealGwei: bigint
  syncGwei: bigint
  syncPotentialGwei: bigint
  proposalGwei: bigint
  /** Missed block: the median of the epoch's others. */
  proposalPotentialGwei: bigint
  /** Positive. */
  slashingGwei: bigint
  /** By bits of blocks, not by rewards. */
  attestationsIncluded: number
  attestationsMissed: number
  syncParticipations: number
  syncMissed: number
  proposedBlocks: number
  missedBlocks: number
  /** Paid by a builder. */
  mevBlocks: number
  /** Priority fees of blocks without a builder. */
  tipsWei: bigint
  mevWei: bigint
  /** At the end of the epoch. */
  effectiveBalanceGwei: bigint
}
