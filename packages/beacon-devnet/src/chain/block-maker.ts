import type { BeaconConfig } from '@lodestar/config'
import { ForkSeq } from '@lodestar/params'
import {
  type CachedBeaconStateExecutions,
  computeBlockRewards,
  computeTimeAtSlot,
  DataAvailabilityStatus,
  ExecutionPayloadStatus,
  stateTransition,
} from '@lodestar/state-transition'
import type { electra, SignedBeaconBlock, ssz } from '@lodestar/types'
import type { BlockOrder, ExecutionBlock, ExecutionLayer } from '../execution/execution-layer.ts'
import type { SlotPlan } from '../slot-plan.ts'
import { executionRequestsOf, payloadOf, randaoOf, syncAggregateOf, withdrawalsOf } from './block-body.ts'
import type { StoredBlock } from './block-store.ts'
import type { DepositQueue } from './deposit-queue.ts'
import type { Genesis } from './genesis.ts'
import { NO_SIGNATURE } from './no-signature.ts'
import { operationsOf } from './operations.ts'
import type { VotePool } from './vote-pool.ts'

const FEE_RECIPIENT = '0xfee0000000000000000000000000000000000fee'
const UNVERIFIED = {
  verifyStateRoot: false,
  verifyProposer: false,
  verifySignatures: false,
  executionPayloadStatus: ExecutionPayloadStatus.valid,
  dataAvailabilityStatus: DataAvailabilityStatus.Available,
}

type Parts = {
  config: BeaconConfig
  execution: ExecutionLayer
  deposits: DepositQueue
  votes: VotePool
  seed: string
}

export const genesisBlock = ({ config, state }: Genesis): StoredBlock => {
  const types = config.getForkTypes(0)
  const message = { ...types.BeaconBlock.defaultValue(), stateRoot: state.hashTreeRoot() }
  const root = types.BeaconBlock.hashTreeRoot(message as never)
  const none = { total: 0, attestations: 0, syncAggregate: 0, proposerSlashings: 0, attesterSlashings: 0 }
  const signed = { message, signature: NO_SIGNATURE } as SignedBeaconBlock
  return { slot: 0, root, signed, rewards: { proposerIndex: 0, ...none } }
}

/** Bodies of earlier forks have fewer fields than Electra's. */
const typesAt = (config: BeaconConfig, slot: number) =>
  config.getForkTypes(slot) as unknown as Pick<
    (typeof ssz)['electra'],
    'BeaconBlock' | 'BeaconBlockBody' | 'ExecutionPayload'
  >

const bodyOf = (
  { config, deposits, votes, seed }: Parts,
  pre: CachedBeaconStateExecutions,
  plan: SlotPlan,
  mined: ExecutionBlock,
  order: BlockOrder,
): electra.BeaconBlockBody => {
  const types = typesAt(config, pre.slot)
  return {
    ...types.BeaconBlockBody.defaultValue(),
    ...randaoOf(seed, pre.slot),
    ...deposits.ofBlock(pre),
    ...(operationsOf(plan, pre) as Partial<electra.BeaconBlockBody>),
    attestations: votes.take(pre.slot) as electra.Attestation[],
    syncAggregate: syncAggregateOf(pre, plan),
    executionPayload: payloadOf(pre, mined, order, types.ExecutionPayload.defaultValue()),
    ...(config.getForkSeq(pre.slot) >= ForkSeq.electra && {
      executionRequests: executionRequestsOf(pre, plan, mined),
    }),
  }
}

export const makeBlock = async (
  parts: Parts,
  pre: CachedBeaconStateExecutions,
  plan: SlotPlan,
  parentRoot: Uint8Array,
): Promise<StoredBlock & { post: CachedBeaconStateExecutions }> => {
  const { slot } = pre
  const { config, execution, deposits } = parts
  const order = {
    slot,
    timestamp: computeTimeAtSlot(config, slot, pre.genesisTime),
    feeRecipient: plan.feeRecipient ?? FEE_RECIPIENT,
    plan,
    withdrawals: withdrawalsOf(pre),
  }
  const mined = await execution.mine(order)
  const message: electra.BeaconBlock = {
    slot,
    proposerIndex: pre.epochCtx.getBeaconProposer(slot),
    parentRoot,
    stateRoot: new Uint8Array(32),
    body: bodyOf(parts, pre, plan, mined, order),
  }
  const signed: SignedBeaconBlock = { message, signature: NO_SIGNATURE }
  const post = stateTransition(pre, signed, UNVERIFIED) as CachedBeaconStateExecutions
  message.stateRoot = post.hashTreeRoot()
  deposits.add(mined.deposits)
  const root = typesAt(config, slot).BeaconBlock.hashTreeRoot(message)
  return { slot, root, signed, rewards: await computeBlockRewards(config, message, pre, post.proposerRewards), post }
}
