import type { BeaconPool } from '../../../beacon/beacon-pool.ts'
import { beaconBlockRequest } from '../../../beacon/block-requests.ts'
import type { ExecutionReading } from '../../../chains/execution-reading.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { type BeaconFacts, slotOfBlock } from '../beacon-chain.ts'

export type FinalBlock = { number: bigint; slot: number }

/** Rejects nodes of different networks: no results would look like an answer. */
export async function readFinalBlock(pool: BeaconPool, execution: ExecutionReading, { times, spec }: BeaconFacts) {
  const block = await pool.request(beaconBlockRequest('finalized'))
  if (!block) throw new UpstreamError('unavailable', 'a beacon node does not have its final block')
  if (block.executionPayload) {
    const number = BigInt(block.executionPayload.blockNumber)
    const [named] = await execution.blocks([number])
    if (named?.hash !== block.executionPayload.blockHash) throw ofAnotherChain()
    return { number, slot: block.slot }
  }
  // Since Gloas beacon blocks have no payload: the chain ID proves the network, the time gives the slot.
  if ((await execution.chainId()) !== spec.depositChainId) throw ofAnotherChain()
  const { number, timestamp } = await execution.finalBlock()
  return { number, slot: slotOfBlock(times, timestamp) }
}

const ofAnotherChain = () =>
  new UpstreamError('invalid', 'the execution node and the beacon node are of different chains')
