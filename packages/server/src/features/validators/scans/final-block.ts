import type { BeaconPool } from '../../../beacon/beacon-pool.ts'
import { beaconBlockRequest, type ExecutionPayload } from '../../../beacon/block-requests.ts'
import type { ExecutionReading } from '../../../chains/execution-reading.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { type BeaconFacts, slotOfBlock } from '../beacon-chain.ts'

export type FinalBlock = { number: bigint; slot: number }

/**
 * Rejects nodes of different networks: another network knows none of these validators, which must not look like "no
 * results".
 */
export async function readFinalBlock(
  pool: BeaconPool,
  execution: ExecutionReading,
  facts: Pick<BeaconFacts, 'times' | 'spec'>,
): Promise<FinalBlock> {
  const block = await pool.request(beaconBlockRequest('finalized'))
  if (!block) throw new UpstreamError('unavailable', 'a beacon node does not have its final block')
  if (block.executionPayload) return namedBlock(execution, block.executionPayload, block.slot)
  return ownFinalBlock(execution, facts)
}

async function namedBlock(execution: ExecutionReading, payload: ExecutionPayload, slot: number): Promise<FinalBlock> {
  const number = BigInt(payload.blockNumber)
  const [block] = await execution.blocks([number])
  if (block?.hash !== payload.blockHash) throw ofAnotherChain()
  return { number, slot }
}

/** Since Gloas beacon blocks have no payload: the chain ID proves the network, the block's time gives the slot. */
async function ownFinalBlock(
  execution: ExecutionReading,
  { times, spec }: Pick<BeaconFacts, 'times' | 'spec'>,
): Promise<FinalBlock> {
  if ((await execution.chainId()) !== spec.depositChainId) throw ofAnotherChain()
  const { number, timestamp } = await execution.finalBlock()
  return { number, slot: slotOfBlock(times, timestamp) }
}

const ofAnotherChain = () =>
  new UpstreamError('invalid', 'the execution node and the beacon node are of different chains')
