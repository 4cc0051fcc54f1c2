import { EPOCHS_PER_ETH1_VOTING_PERIOD, ForkSeq, SLOTS_PER_EPOCH } from '@lodestar/params'
import {
  becomesNewEth1Data,
  type CachedBeaconStateElectra,
  type CachedBeaconStateExecutions,
  getEth1DepositCount,
} from '@lodestar/state-transition'
import { type electra, type phase0, ssz } from '@lodestar/types'
import type { LoggedDeposit } from '../execution/execution-layer.ts'
import { depositProof, depositRoot } from './deposit-tree.ts'

const VOTING_PERIOD = EPOCHS_PER_ETH1_VOTING_PERIOD * SLOTS_PER_EPOCH

/** True from Electra on, once the deposits before the first request are processed. */
const isBridged = (state: CachedBeaconStateExecutions): boolean => {
  const fork = state.config.getForkSeq(state.slot)
  if (fork < ForkSeq.electra) return false
  const { depositRequestsStartIndex } = state as unknown as CachedBeaconStateElectra
  return fork >= ForkSeq.fulu || BigInt(state.eth1DepositIndex) >= depositRequestsStartIndex
}

/**
 * Before Electra, proposers vote for the contract's tree as of the start of the voting period. More than half of a
 * period's slots must agree. Then blocks carry the deposits with proofs. From Electra on, deposits are requests of the
 * payload.
 */
export const createDepositQueue = (genesis: readonly phase0.DepositData[]) => {
  const logged: phase0.DepositData[] = [...genesis]
  const leaves = logged.map((data) => ssz.phase0.DepositData.hashTreeRoot(data))
  let candidate: phase0.Eth1Data | null = null

  const vote = (state: CachedBeaconStateExecutions): phase0.Eth1Data => {
    const known = state.eth1Data.toValue()
    if (isBridged(state)) return known
    if (candidate && state.slot % VOTING_PERIOD !== 0) return candidate
    const { blockHash } = state.latestExecutionPayloadHeader
    const seen = { depositRoot: depositRoot(leaves), depositCount: BigInt(leaves.length), blockHash }
    candidate = seen
    return seen
  }

  return {
    add: (deposits: readonly LoggedDeposit[]): void => {
      for (const { data } of deposits) {
        logged.push(data)
        leaves.push(ssz.phase0.DepositData.hashTreeRoot(data))
      }
    },
    /** Returns the vote and the deposits that its outcome requires. */
    ofBlock: (state: CachedBeaconStateExecutions): { eth1Data: phase0.Eth1Data; deposits: phase0.Deposit[] } => {
      const eth1Data = vote(state)
      const decides = becomesNewEth1Data(state, ssz.phase0.Eth1Data.toViewDU(eth1Data))
      const decided = decides ? eth1Data : state.eth1Data.toValue()
      const known = leaves.slice(0, Number(decided.depositCount))
      const deposits = logged
        .slice(state.eth1DepositIndex, state.eth1DepositIndex + getEth1DepositCount(state, decided))
        .map((data, at) => ({ data, proof: depositProof(known, state.eth1DepositIndex + at) }))
      return { eth1Data, deposits }
    },
  }
}

/** EIP-6110. */
export const depositRequestsOf = (deposits: readonly LoggedDeposit[]): electra.DepositRequest[] =>
  deposits.map(({ data, index }) => ({ ...data, index: BigInt(index) }))

export type DepositQueue = ReturnType<typeof createDepositQueue>
