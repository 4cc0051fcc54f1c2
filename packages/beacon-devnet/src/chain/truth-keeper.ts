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

/** Deposits of a validator that is leaving go to the end of the queue. */
const isPostponed = (state: CachedBeaconStateExecutions, pubkey: Uint8Array): boolean => {
  const index = indexOf(state, pubkey)
  if (index === null) return false
  const { exitEpoch, withdrawableEpoch } = state.validators.getReadonly(index)
  return exitEpoch < FAR_FUTURE_EPOCH && withdrawableEpoch >= computeEpochAtSlot(state.slot)
}

/** As Electra begins, who is not yet active has its balance taken back to the queue. */
const queuedByElectra = (after: CachedBeaconStateExecutions): DepositTruth[] => {
  if (after.config.getForkSeq(after.slot) < ForkSeq.electra) return []
  const queue = (after as unknown as CachedBeaconStateElectra).pendingDeposits.getAllReadonlyValues()
  return queue.flatMap(({ pubkey, amount }): DepositTruth[] => {
    const validatorIndex = indexOf(after, pubkey)
    return validatorIndex === null ? [] : [{ validatorIndex, amountGwei: -BigInt(amount), by: 'transition' }]
  })
}

/** What a transition has taken from the front of the queue of pending deposits and added to balances. */
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

/** What a transition has taken from the front of the queue of consolidations; who was slashed keeps its balance. */
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
    // A source has left long before, so that no transition changes what it has.
    const amountGwei = BigInt(Math.min(before.balances.get(source), effectiveBalance))
    return slashed ? [] : [{ source, target: Number(targetIndex), amountGwei }]
  })
}

/** Before Electra a block's deposits are in the balances at once. */
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

/** Watches the chain go by and notes what each epoch did to balances. */
export const createTruthKeeper = (genesis: CachedBeaconStateExecutions) => {
  const epochs: EpochTruth[] = []
  let startGwei = balancesOf(genesis)
  let withdrawals: EpochTruth['withdrawals'] = []
  let deposits: readonly DepositTruth[] = []
  let consolidations: readonly ConsolidationTruth[] = []

  return {
    /** The last state of a slot becomes the first of the next: an epoch ends if they are of two. */
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
    /** Of the epochs that are over, from the first. */
    epochs: (from: number): EpochTruth[] => epochs.slice(from),
  }
}
