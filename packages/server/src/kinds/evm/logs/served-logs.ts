import { UpstreamError } from '../../../lib/upstream-error.ts'
import { isPruned } from '../../rpc/json-rpc.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'

/** How long pruned history is remembered. Later, another node may be behind the endpoint. */
const PRUNED_MS = 6 * 3_600_000

/** Blocks before `firstBlock` are not searched, because the endpoints have pruned their logs. */
export class HistoryPruned extends UpstreamError {
  readonly firstBlock: bigint

  constructor(label: string, firstBlock: bigint) {
    super('not-allowed', `${label} eth_getLogs: history before block ${firstBlock} is pruned`)
    this.firstBlock = firstBlock
  }
}

/** The first block whose logs the endpoint keeps; 0 unless it has lately refused an older one. */
export function firstServedBlock({ capabilities: { logsFrom }, clock }: RpcEndpoint): bigint {
  return logsFrom && clock.now() < logsFrom.until ? BigInt(logsFrom.block) : 0n
}

/**
 * Finds by bisection where the logs of an endpoint begin, after it refused block `refused`, and remembers that. `asks`
 * requests the logs of one block. Throws the node's error if even the newest block is refused.
 */
export async function findFirstServed(
  endpoint: RpcEndpoint,
  { refused, newest }: { refused: bigint; newest: bigint },
  asks: (block: bigint) => Promise<unknown>,
): Promise<bigint> {
  const isServed = async (block: bigint): Promise<boolean> => {
    try {
      await asks(block)
      return true
    } catch (error) {
      if (block < newest && isPruned(error)) return false
      throw error
    }
  }
  await isServed(newest)
  let [below, first] = [refused, newest]
  while (first - below > 1n) {
    const middle = (below + first) / 2n
    if (await isServed(middle)) first = middle
    else below = middle
  }
  endpoint.capabilities.logsFrom = { block: String(first), until: endpoint.clock.now() + PRUNED_MS }
  return first
}
