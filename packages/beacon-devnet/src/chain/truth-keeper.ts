import { FAR_FUTURE_EPOCH, ForkSeq, SLOTS_PER_EPOCH } from '@lodestar/params'
import {
  type CachedBeaconStateElectra,
  type CachedBeaconStateExecutions,
  computeEpochAtSlot,
} from '@lodestar/state-transition'
import type { BeaconBlock, capella, phase0 } from '@lodestar/types'
import { toHex } from '@lodestar/utils'
import type { ConsolidationTruth, DepositTruth, EpochTruth } from '../truth.ts'

const balancesOf = (state: CachedBeaconStateExecutions): bigint[] => state.balances.getAll().map(BigInt)

const effectiveBalancesOf = (state: CachedBeaconStateExecutions): bigint[] =>
  state.validators.getAllReadonlyValues().map(({ effectiveBalance }) => BigInt(effectiveBalance))

const indexOf = (state: CachedBeaconStateExecutions, pubkey: Uint8Array): number | null => {
  const index = state.epochCtx.getValidatorIndex(pubkey)
  return index !== null && index < state.validators.length ? index : null
}

/** Deposits of an exiting validator go to the end of the queue. */
const isPostponed = (state: CachedBeaconStateExecutions, pubkey: Uint8Array): boolean => {
  const index = indexOf(state, pubkey)
  if (index === null) return false
  const { exitEpoch, withdrawableEpoch } = state.validators.getReadonly(index)
  return exitEpoch < FAR_FUTURE_EPOCH && withdrawableEpoch >= computeEpochAtSlot(state.slot)
}

/** Electra's first transition returns the balances of inactive validators to the queue. */
const queuedByElectra = (after: CachedBeaconStateExecutions): DepositTruth[] => {
  if (after.config.getForkSeq(after.slot) < ForkSeq.electra) return []
  const queue = (after as unknown as CachedBeaconStateElectra).pendingDeposits.getAllReadonlyValues()
  return queue.flatMap(({ pubkey, amount }): DepositTruth[] => {
    const validatorIndex = indexOf(after, pubkey)
    return validatorIndex === null ? [] : [{ validatorIndex, amountGwei: -BigInt(amount), by: 'transition' }]
  })
}

const depositsOfTransition = (
  before: CachedBeaconStateExecutions,
  after: CachedBeaconStateExecutions,
): DepositTruth[] => {
  if (before.config.getForkSeq(before.slot) < ForkSeq.electra) return queuedByElectra(after)
  const queue = (before as unknown as CachedBeaconStateElectra).pendingDeposits.getAllReadonlyValues()
  let left = queue.length - (after as unknown as CachedBeaconStateElectra).pendingDeposits.length
  const applied: DepositTruth[] = []
  for (const { pubkey, amount } of queue) {
    if (left === 0) break
    if (isPostponed(after, pubkey)) continue
    left--
    const validatorIndex = indexOf(after, pubkey)
    if (validatorIndex !== null) applied.push({ validatorIndex, amountGwei: BigInt(amount), by: 'transition' })
  }
  return applied
}

/** A slashed source keeps its balance. */
const consolidationsOfTransition = (
  before: CachedBeaconStateExecutions,
  after: CachedBeaconStateExecutions,
): ConsolidationTruth[] => {
  if (before.config.getForkSeq(before.slot) < ForkSeq.electra) return []
  const queue = (before as unknown as CachedBeaconStateElectra).pendingConsolidations.getAllReadonlyValues()
  const left = (after as unknown as CachedBeaconStateElectra).pendingConsolidations.length
  return queue.slice(0, queue.length - left).flatMap(({ sourceIndex, targetIndex }): ConsolidationTruth[] => {
    const source = Number(sourceIndex)
    const { slashed, effectiveBalance } = before.validators.getReadonly(source)
    // Exited long before: no transition changes its balance.
    const amountGwei = BigInt(Math.min(before.balances.get(source), effectiveBalance))
    return slashed ? [] : [{ source, target: Number(targetIndex), amountGwei }]
  })
}

/** Before Electra deposits enter the balances at once. */
const depositsOfBlock = (after: CachedBeaconStateExecutions, deposits: readonly phase0.Deposit[]): DepositTruth[] => {
  if (after.config.getForkSeq(after.slot) >= ForkSeq.electra) return []
  return deposits.flatMap(({ data }): DepositTruth[] => {
    const validatorIndex = indexOf(after, data.pubkey)
    return validatorIndex === null ? [] : [{ validatorIndex, amountGwei: BigInt(data.amount), by: 'block' }]
  })
}

const withdrawalsOf = ({ slot, body }: BeaconBlock): EpochTruth['withdrawals'] => {
  const { executionPayload } = body as capella.BeaconBlockBody
  return (executionPayload.withdrawals ?? []).map(({ index, validatorIndex, address, amount }) => ({
    index: Number(index),
    validatorIndex,
    address: toHex(address),
    amountGwei: BigInt(amount),
    slot,
  }))
}

export const createTruthKeeper = (genesis: CachedBeaconStateExecutions) => {
  const epochs: EpochTruth[] = []
  let startGwei = balancesOf(genesis)
  let withdrawals: EpochTruth['withdrawals'] = []
  let deposits: readonly DepositTruth[] = []
  let consolidations: readonly ConsolidationTruth[] = []

  return {
    onSlot: (before: CachedBeaconStateExecutions, after: CachedBeaconStateExecutions): void => {
      if (after.slot % SLOTS_PER_EPOCH !== 0) return
      epochs.push({
        epoch: epochs.length,
        startGwei,
        endGwei: balancesOf(before),
        effectiveBalanceGwei: effectiveBalancesOf(before),
        withdrawals,
        deposits,
        consolidations,
      })
      startGwei = balancesOf(after)
      withdrawals = []
      deposits = depositsOfTransition(before, after)
      consolidations = consolidationsOfTransition(before, after)
    },
    onBlock: (after: CachedBeaconStateExecutions, block: BeaconBlock): void => {
      withdrawals = [...withdrawals, ...withdrawalsOf(block)]
      deposits = [...deposits, ...depositsOfBlock(after, block.body.deposits)]
    },
    epochs: (from: number): EpochTruth[] => epochs.slice(from),
  }
}
