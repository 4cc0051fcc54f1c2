import { UpstreamError } from '../../lib/upstream-error.ts'
import { isRecord, type RpcRequest } from '../rpc/json-rpc.ts'
import type { BlockHeader } from './reader/evm-reader.ts'
import { parseHash, parseQuantity } from './rpc-values.ts'

export type ListedBlock = BlockHeader & { hash: `0x${string}` }

/** `at` null: latest. An unknown block is a failure: the node may lag. */
export function blockRequest(at: bigint | 'finalized' | null): RpcRequest<ListedBlock> {
  const tag = typeof at === 'bigint' ? `0x${at.toString(16)}` : (at ?? 'latest')
  return {
    method: 'eth_getBlockByNumber',
    params: [tag, false],
    parse(result) {
      if (result === null) throw new UpstreamError('unavailable', 'the node does not know the block')
      if (!isRecord(result)) throw new UpstreamError('invalid', 'expected a block')
      const number = parseQuantity(result['number'])
      if (typeof at === 'bigint' && number !== at)
        throw new UpstreamError('invalid', 'the node answered with another block')
      return {
        number,
        timestamp: Number(parseQuantity(result['timestamp'])),
        parentHash: parseHash(result['parentHash']),
        hash: parseHash(result['hash']),
      }
    },
  }
}
