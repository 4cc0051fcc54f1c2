/** Paid with a block's payload. */
export type WithdrawalTruth = {
  index: number
  validatorIndex: number
  /** 20 bytes, lower case. */
  address: string
  amountGwei: bigint
  slot: number
}

/** Negative where Electra's start returned a balance to the queue. */
export type DepositTruth = {
  validatorIndex: number
  amountGwei: bigint
  /** `block`: within the epoch, before Electra. `transition`: from the queue, at the epoch's start. */
  by: 'block' | 'transition'
}

/** EIP-7251, at the epoch's start. */
export type ConsolidationTruth = { source: number; target: number; amountGwei: bigint }

/** From `endGwei` to the next `startGwei` the transition pays votes, takes penalties and applies deposits. */
export type EpochTruth = {
  epoch: number
  /** By validator index, before the first block. */
  startGwei: readonly bigint[]
  /** By validator index, after the last block and before the transition. */
  endGwei: readonly bigint[]
  /** By validator index, at the end. */
  effectiveBalanceGwei: readonly bigint[]
  withdrawals: readonly WithdrawalTruth[]
  deposits: readonly DepositTruth[]
  consolidations: readonly ConsolidationTruth[]
}

export type Head = {
  slot: number
  epoch: number
  blockRoot: string
  stateRoot: string
  finalizedEpoch: number
  justifiedEpoch: number
}
