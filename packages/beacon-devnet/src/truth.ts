/** A withdrawal out of a block's payload. */
export type WithdrawalTruth = {
  index: number
  validatorIndex: number
  /** 20 bytes, lower case. */
  address: string
  amountGwei: bigint
  slot: number
}

/** A deposit that has reached a balance; negative where Electra took a balance back to the queue as it began. */
export type DepositTruth = {
  validatorIndex: number
  amountGwei: bigint
  /**
   * `block`: with a block of the epoch, before Electra. `transition`: from the queue of pending deposits, as the epoch
   * began.
   */
  by: 'block' | 'transition'
}

/** A balance that moved to another validator as the epoch began (EIP-7251). */
export type ConsolidationTruth = { source: number; target: number; amountGwei: bigint }

/**
 * What an epoch did to balances, read from states. From `endGwei` of one epoch to `startGwei` of the next the epoch's
 * transition has paid for the votes of the epoch before it, and has taken penalties and applied deposits of the queue.
 */
export type EpochTruth = {
  epoch: number
  /** By validator index, before the block of the first slot. */
  startGwei: readonly bigint[]
  /** By validator index, after the last slot's block and before the next epoch's transition. */
  endGwei: readonly bigint[]
  /** By validator index, at the end of the epoch. */
  effectiveBalanceGwei: readonly bigint[]
  withdrawals: readonly WithdrawalTruth[]
  deposits: readonly DepositTruth[]
  consolidations: readonly ConsolidationTruth[]
}

/** The chain's head. */
export type Head = {
  slot: number
  epoch: number
  /** Of the head block. */
  blockRoot: string
  stateRoot: string
  finalizedEpoch: number
  justifiedEpoch: number
}
