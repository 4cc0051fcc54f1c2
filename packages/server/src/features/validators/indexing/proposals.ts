import { NoHistory } from '../../../beacon/beacon-request.ts'
import type { ExecutionPayload } from '../../../beacon/block-requests.ts'
import type { Relays } from '../../../beacon/relays.ts'
import type { ExecutionReading } from '../../../chains/execution-reading.ts'
import { type ExecutionIncome, executionIncome } from '../../../domain/execution-income.ts'
import { createGate } from '../../../lib/concurrency.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { EpochReads } from './epoch-reads.ts'

/** Rejects with `UpstreamError` if the proposer's income cannot be determined. */
export type ReadIncome = (payload: ExecutionPayload) => Promise<ExecutionIncome>

type ProposalReads = Pick<EpochReads, 'proposers' | 'block' | 'blockReward'>

type Proposals = typeof NO_PROPOSALS

const NO_PROPOSALS = {
  proposalGwei: 0n,
  proposalPotentialGwei: 0n,
  proposedBlocks: 0,
  missedBlocks: 0,
  mevBlocks: 0,
  tipsWei: 0n,
  mevWei: 0n,
}

/** Validators without a duty are absent. The genesis block has no proposer. */
export async function readProposals(
  reads: ProposalReads,
  epoch: number,
  validators: readonly number[],
  readIncome: ReadIncome,
): Promise<Map<number, Proposals>> {
  const duties = (await reads.proposers(epoch)).filter(({ slot }) => slot > 0)
  const slots = duties.map(({ slot }) => slot)
  const wanted = new Set(validators)
  const due = duties.filter(({ validatorIndex }) => wanted.has(validatorIndex))
  const proposals = await Promise.all(
    due.map(({ slot, validatorIndex }) => readProposal(reads, slot, validatorIndex, readIncome, slots)),
  )
  const sums = new Map<number, Proposals>()
  for (const [i, { validatorIndex }] of due.entries()) {
    sums.set(validatorIndex, add(sums.get(validatorIndex) ?? NO_PROPOSALS, proposals[i] ?? NO_PROPOSALS))
  }
  return sums
}

async function readProposal(
  reads: ProposalReads,
  slot: number,
  validator: number,
  readIncome: ReadIncome,
  slots: readonly number[],
): Promise<Proposals> {
  const block = await reads.block(slot)
  if (!block) return { ...NO_PROPOSALS, missedBlocks: 1, proposalPotentialGwei: await medianReward(reads, slots) }
  const { proposerIndex, totalGwei } = await reads.blockReward(slot)
  if (proposerIndex !== validator || block.proposerIndex !== validator) {
    throw new UpstreamError('invalid', `the block of slot ${slot} is not of the validator whose turn it was`)
  }
  if (block.hasBid)
    throw new UpstreamError('invalid', `what the block of slot ${slot} paid is not read: it is of Gloas`)
  const income = block.executionPayload ? await readIncome(block.executionPayload) : undefined
  return {
    proposalGwei: totalGwei,
    proposalPotentialGwei: totalGwei,
    proposedBlocks: 1,
    missedBlocks: 0,
    mevBlocks: income?.byBuilder ? 1 : 0,
    tipsWei: income?.tipsWei ?? 0n,
    mevWei: income?.mevWei ?? 0n,
  }
}

async function medianReward(reads: ProposalReads, slots: readonly number[]): Promise<bigint> {
  const rewards = await Promise.all(
    slots.map(async (slot) => ((await reads.block(slot)) ? (await reads.blockReward(slot)).totalGwei : null)),
  )
  return median(rewards.filter((reward) => reward !== null))
}

/** Even counts: the mean of the middle two, rounded down. */
export function median(values: readonly bigint[]): bigint {
  const ordered = [...values].sort((a, b) => (a < b ? -1 : 1))
  const middle = ordered.slice(Math.ceil(ordered.length / 2) - 1, Math.floor(ordered.length / 2) + 1)
  return middle.length === 0 ? 0n : middle.reduce((sum, value) => sum + value, 0n) / BigInt(middle.length)
}

function add(sum: Proposals, one: Proposals): Proposals {
  return {
    proposalGwei: sum.proposalGwei + one.proposalGwei,
    proposalPotentialGwei: sum.proposalPotentialGwei + one.proposalPotentialGwei,
    proposedBlocks: sum.proposedBlocks + one.proposedBlocks,
    missedBlocks: sum.missedBlocks + one.missedBlocks,
    mevBlocks: sum.mevBlocks + one.mevBlocks,
    tipsWei: sum.tipsWei + one.tipsWei,
    mevWei: sum.mevWei + one.mevWei,
  }
}

/** Each block is some MB with its receipts. */
const BLOCKS_AT_ONCE = 4

/** Turns failures into `NoHistory`, so that only epochs with a proposal wait. */
export function createReadIncome({
  execution,
  relays,
}: {
  execution: Pick<ExecutionReading, 'executedBlock'> | undefined
  relays: Relays
}): ReadIncome {
  const gate = createGate(BLOCKS_AT_ONCE)
  return async (payload) => {
    if (!execution) throw new NoHistory('what a block paid: COFFER_RPC_ETHEREUM is not set')
    try {
      const deliveredWei = await relays.deliveredWei(payload.blockHash)
      return executionIncome(await gate(() => execution.executedBlock(payload)), deliveredWei)
    } catch (thrown) {
      if (!(thrown instanceof UpstreamError)) throw thrown
      throw new NoHistory(`what block ${payload.blockNumber} paid: ${thrown.message}`, { cause: thrown })
    }
  }
}
