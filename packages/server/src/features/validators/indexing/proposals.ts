import { NoHistory } from '../../../beacon/beacon-request.ts'
import type { ExecutionPayload } from '../../../beacon/block-requests.ts'
import type { ProposerDuty } from '../../../beacon/duty-requests.ts'
import { deliveredWei } from '../../../beacon/relays.ts'
import type { ExecutionReading } from '../../../chains/execution-reading.ts'
import { type ExecutionIncome, executionIncome } from '../../../domain/execution-income.ts'
import { createGate } from '../../../lib/concurrency.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { OutcomePart } from '../registry/outcome-chunk.ts'
import type { EpochReads } from './epoch-reads.ts'

/** Rejects with `UpstreamError`. */
export type ReadIncome = (payload: ExecutionPayload) => Promise<ExecutionIncome>

type ProposalReads = Pick<EpochReads, 'proposers' | 'block' | 'blockReward'>

/** The genesis block has no proposer. */
export async function readProposals(
  reads: ProposalReads,
  epoch: number,
  validators: readonly number[],
  readIncome: ReadIncome,
): Promise<OutcomePart[]> {
  const duties = (await reads.proposers(epoch)).filter(({ slot }) => slot > 0)
  const slots = duties.map(({ slot }) => slot)
  const wanted = new Set(validators)
  const due = duties.filter(({ validatorIndex }) => wanted.has(validatorIndex))
  return Promise.all(due.map((duty) => readProposal(reads, duty, readIncome, slots)))
}

async function readProposal(
  reads: ProposalReads,
  { slot, validatorIndex }: ProposerDuty,
  readIncome: ReadIncome,
  slots: readonly number[],
): Promise<OutcomePart> {
  const block = await reads.block(slot)
  if (!block) return [validatorIndex, { missedBlocks: 1, proposalPotentialGwei: await medianReward(reads, slots) }]
  const { proposerIndex, totalGwei } = await reads.blockReward(slot)
  if (proposerIndex !== validatorIndex || block.proposerIndex !== validatorIndex) {
    throw new UpstreamError('invalid', `the block of slot ${slot} is not of the validator whose turn it was`)
  }
  if (block.hasBid)
    throw new UpstreamError('invalid', `what the block of slot ${slot} paid is not read: it is of Gloas`)
  const income = block.executionPayload ? await readIncome(block.executionPayload) : NO_INCOME
  const { byBuilder, tipsWei, mevWei } = income
  const proposal = { proposalGwei: totalGwei, proposalPotentialGwei: totalGwei, proposedBlocks: 1 }
  return [validatorIndex, { ...proposal, mevBlocks: byBuilder ? 1 : 0, tipsWei, mevWei }]
}

const NO_INCOME: ExecutionIncome = { byBuilder: false, tipsWei: 0n, mevWei: 0n }

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

/** Each block is some MB with its receipts. */
const BLOCKS_AT_ONCE = 4

/** Turns failures into `NoHistory`, so that only epochs with a proposal wait. */
export function createReadIncome(execution: ExecutionReading | undefined, relays: readonly string[]): ReadIncome {
  const gate = createGate(BLOCKS_AT_ONCE)
  return async (payload) => {
    if (!execution) throw new NoHistory('what a block paid: COFFER_RPC_ETHEREUM is not set')
    try {
      const paidWei = await deliveredWei(relays, payload.blockHash)
      return executionIncome(await gate(() => execution.executedBlock(payload)), paidWei)
    } catch (thrown) {
      if (!(thrown instanceof UpstreamError)) throw thrown
      throw new NoHistory(`what block ${payload.blockNumber} paid: ${thrown.message}`, { cause: thrown })
    }
  }
}
