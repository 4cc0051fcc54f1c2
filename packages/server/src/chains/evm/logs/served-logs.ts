import { UpstreamError } from '../../../lib/upstream-error.ts'
import { isPruned } from '../../rpc/json-rpc.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'

/** Later, another node may answer for the endpoint. */
const PRUNED_MS = 6 * 3_600_000

export class HistoryPruned extends UpstreamError {
  readonly firstBlock: bigint

  constructor(label: string, firstBlock: bigint) {
    super('not-allowed', `${label} eth_getLogs: history before block ${firstBlock} is pruned`)
    this.firstBlock = firstBlock
  }
}

/** 0 unless an older block was refused lately. */
export function firstServedBlock({ capabilities: { logsFrom }, clock }: RpcEndpoint): bigint {
  return logsFrom && clock.now() < logsFrom.until ? BigInt(logsFrom.block) : 0n
}

/** Throws the node's error if even the newest block is refused. */
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
