import {
  type CachedBeaconStateExecutions,
  computeEpochAtSlot,
  computeStartSlotAtEpoch,
  processSlots,
} from '@lodestar/state-transition'
import { toHex } from '@lodestar/utils'
import type { ExecutionLayer } from '../execution/execution-layer.ts'
import { isAmong, merge, operationsLeft, type SlotPlan } from '../slot-plan.ts'
import type { Head } from '../truth.ts'
import { genesisBlock, makeBlock } from './block-maker.ts'
import { createBlockStore, type StoredBlock } from './block-store.ts'
import type { DepositQueue } from './deposit-queue.ts'
import type { Genesis } from './genesis.ts'
import { createTruthKeeper } from './truth-keeper.ts'
import { createVotePool } from './vote-pool.ts'
import { votesOf } from './votes.ts'

const NO_ROOT = new Uint8Array(32)

/** Named as in the Beacon API's event stream. */
export type ChainEvent =
  | { type: 'block'; slot: number; block: string }
  | { type: 'head'; slot: number; block: string; state: string }
  | { type: 'finalized_checkpoint'; epoch: number; block: string; state: string }

type Parts = {
  genesis: Genesis
  execution: ExecutionLayer
  deposits: DepositQueue
  seed: string
  keepStatesEpochs: number
  onEvent: (event: ChainEvent) => void
}

export type BeaconChain = ReturnType<typeof createBeaconChain>

/** Slashed validators may not propose. */
const isWithoutBlock = (pre: CachedBeaconStateExecutions, { missed, absent }: SlotPlan): boolean => {
  const proposer = pre.epochCtx.getBeaconProposer(pre.slot)
  return Boolean(missed) || isAmong(absent, proposer) || pre.validators.getReadonly(proposer).slashed
}

const eventsOf = ({ slot, root, signed }: StoredBlock, finalized: Finalized | null): ChainEvent[] => {
  const block = toHex(root)
  const state = toHex(signed.message.stateRoot)
  return [
    { type: 'block', slot, block },
    { type: 'head', slot, block, state },
    ...(finalized
      ? [{ type: 'finalized_checkpoint', epoch: finalized.epoch, block: toHex(finalized.root), state } as const]
      : []),
  ]
}

type Finalized = { epoch: number; root: Uint8Array }

export const createBeaconChain = ({ genesis, execution, deposits, seed, keepStatesEpochs, onEvent }: Parts) => {
  const { config, pubkeyCache } = genesis
  const store = createBlockStore(keepStatesEpochs)
  const truth = createTruthKeeper(genesis.state)
  const votes = createVotePool(config)
  const first = genesisBlock(genesis)
  let state = genesis.state
  let left: SlotPlan = {}

  store.roots.push(first.root)
  store.addBlock(first)
  store.addState(0, state)

  const rootAt = (slot: number): Uint8Array => store.roots[slot] ?? NO_ROOT

  const propose = async (pre: CachedBeaconStateExecutions, plan: SlotPlan): Promise<void> => {
    const { post, ...block } = await makeBlock(
      { config, execution, deposits, votes, seed },
      pre,
      plan,
      rootAt(pre.slot),
    )
    const isFinal = post.finalizedCheckpoint.epoch > state.finalizedCheckpoint.epoch
    state = post
    store.roots[block.slot] = block.root
    store.addBlock(block)
    truth.onBlock(post, block.signed.message)
    for (const event of eventsOf(block, isFinal ? post.finalizedCheckpoint : null)) onEvent(event)
  }

  const collectVotes = (plan: SlotPlan): void => {
    const { slot } = state
    const targetRoot = rootAt(computeStartSlotAtEpoch(computeEpochAtSlot(slot)))
    votes.add(votesOf({ state, slot, headRoot: rootAt(slot), targetRoot }, plan), slot + (plan.inclusionDelay ?? 1))
  }

  return {
    config,
    pubkeyCache,
    store,
    truth,
    state: () => state,
    advance: async (ordered: SlotPlan): Promise<void> => {
      const before = state
      const pre = processSlots(before.clone(), before.slot + 1) as CachedBeaconStateExecutions
      const plan = merge(left, { ...ordered, missed: isWithoutBlock(pre, ordered) })
      left = operationsLeft(plan)
      truth.onSlot(before, pre)
      store.roots[pre.slot] = rootAt(before.slot)
      if (plan.missed) state = pre
      else await propose(pre, plan)
      store.addState(pre.slot, state)
      collectVotes(plan)
    },
    head: (): Head => {
      const block = store.blockAtOrBefore(state.slot) ?? first
      return {
        slot: state.slot,
        epoch: computeEpochAtSlot(state.slot),
        blockRoot: toHex(block.root),
        stateRoot: toHex(state.hashTreeRoot()),
        finalizedEpoch: state.finalizedCheckpoint.epoch,
        justifiedEpoch: state.currentJustifiedCheckpoint.epoch,
      }
    },
  }
}
