import { BitArray } from '@chainsafe/ssz'
import { ForkSeq, SYNC_COMMITTEE_SIZE } from '@lodestar/params'
import {
  type CachedBeaconStateCapella,
  type CachedBeaconStateExecutions,
  getExpectedWithdrawals,
  getRandaoMix,
} from '@lodestar/state-transition'
import type { capella, electra } from '@lodestar/types'
import type { BlockOrder, ExecutionBlock } from '../execution/execution-layer.ts'
import { type Consolidation, isAmong, type SlotPlan, type WithdrawalRequest } from '../slot-plan.ts'
import { depositRequestsOf } from './deposit-queue.ts'
import { NO_SIGNATURE } from './no-signature.ts'
import { bytesOf, seeded } from './seeded.ts'

/** Left-aligned in 32 bytes. */
const GRAFFITI = new Uint8Array(32)
GRAFFITI.set(Buffer.from('coffer'))

export const syncAggregateOf = (state: CachedBeaconStateExecutions, { syncOffline, absent }: SlotPlan) => {
  const members = state.epochCtx.currentSyncCommitteeIndexed.validatorIndices
  const isSilent = (validator: number) => isAmong(syncOffline, validator) || isAmong(absent, validator)
  const signed = Array.from({ length: SYNC_COMMITTEE_SIZE }, (_, at) => !isSilent(members[at] ?? -1))
  return { syncCommitteeBits: BitArray.fromBoolArray(signed), syncCommitteeSignature: NO_SIGNATURE }
}

export const randaoOf = (seed: string, slot: number) => ({
  randaoReveal: new Uint8Array(Buffer.concat([0, 1, 2].map((part) => seeded(seed, 'randao', part, slot)))),
  graffiti: GRAFFITI,
})

/** Sent by the validator's withdrawal address. */
const withdrawalRequestOf = (
  state: CachedBeaconStateExecutions,
  { validator, amountGwei }: WithdrawalRequest,
): electra.WithdrawalRequest => {
  const { pubkey, withdrawalCredentials } = state.validators.getReadonly(validator)
  return {
    sourceAddress: withdrawalCredentials.slice(12),
    validatorPubkey: pubkey,
    amount: BigInt(amountGwei),
  }
}

const consolidationRequestOf = (
  state: CachedBeaconStateExecutions,
  { source, target }: Consolidation,
): electra.ConsolidationRequest => {
  const { pubkey, withdrawalCredentials } = state.validators.getReadonly(source)
  return {
    sourceAddress: withdrawalCredentials.slice(12),
    sourcePubkey: pubkey,
    targetPubkey: state.validators.getReadonly(target).pubkey,
  }
}

export const executionRequestsOf = (
  state: CachedBeaconStateExecutions,
  plan: SlotPlan,
  { deposits }: ExecutionBlock,
): electra.ExecutionRequests => ({
  deposits: depositRequestsOf(deposits),
  withdrawals: (plan.withdrawalRequests ?? []).map((request) => withdrawalRequestOf(state, request)),
  consolidations: (plan.consolidations ?? []).map((request) => consolidationRequestOf(state, request)),
})

export const withdrawalsOf = (state: CachedBeaconStateExecutions): capella.Withdrawal[] => {
  const fork = state.config.getForkSeq(state.slot)
  if (fork < ForkSeq.capella) return []
  return getExpectedWithdrawals(fork, state as unknown as CachedBeaconStateCapella).expectedWithdrawals
}

export const payloadOf = (
  state: CachedBeaconStateExecutions,
  block: ExecutionBlock,
  order: BlockOrder,
  empty: electra.ExecutionPayload,
): electra.ExecutionPayload => ({
  ...empty,
  parentHash: state.latestExecutionPayloadHeader.blockHash,
  feeRecipient: bytesOf(order.feeRecipient),
  stateRoot: block.stateRoot,
  receiptsRoot: block.receiptsRoot,
  logsBloom: block.logsBloom,
  prevRandao: getRandaoMix(state, state.epochCtx.epoch),
  blockNumber: block.number,
  gasLimit: block.gasLimit,
  gasUsed: block.gasUsed,
  timestamp: order.timestamp,
  extraData: Buffer.from(order.plan.extraData ?? 'coffer'),
  baseFeePerGas: block.baseFeeWei,
  blockHash: block.hash,
  transactions: block.transactions,
  ...(state.config.getForkSeq(state.slot) >= ForkSeq.capella && { withdrawals: [...order.withdrawals] }),
})
