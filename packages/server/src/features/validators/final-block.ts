import type { BeaconPool } from '../../beacon/beacon-pool.ts'
import { beaconBlockRequest } from '../../beacon/block-requests.ts'
import { blockRequest } from '../../chains/evm/block-header.ts'
import type { RpcPool } from '../../chains/rpc/rpc-pool.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'

/** A block of the execution chain that is final, with the slot that it is of. */
export type FinalBlock = { number: bigint; slot: number }

/**
 * The last final block of the beacon chain as the execution node has it. Both must name the same hash: a node of another
 * network knows nothing of these validators, which must not be taken for "none". Rejects with `UpstreamError`.
 */
export async function readFinalBlock(beacon: BeaconPool, execution: RpcPool): Promise<FinalBlock> {
  const block = await beacon.request(beaconBlockRequest('finalized'))
  const payload = block?.executionPayload
  if (!payload) throw new UpstreamError('unavailable', 'the final block of the beacon chain has no execution payload')
  const number = BigInt(payload.blockNumber)
  const { hash } = await execution.session().request(blockRequest(number))
  if (hash !== payload.blockHash) {
    throw new UpstreamError('invalid', 'the execution node and the beacon node are of different chains')
  }
  return { number, slot: block.slot }
}
