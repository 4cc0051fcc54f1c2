import { blockRequest } from '../../kinds/evm/block-header.ts'
import type { RpcPool } from '../../kinds/rpc/rpc-pool.ts'
import { createGate } from '../../lib/concurrency.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'

/** Blocks requested at one time, over all callers. */
const AT_ONCE = 8

type Listed = { block: bigint; blockHash: string }

/** Unix seconds of blocks, by their hashes. */
export type ReadBlockTimes = (chain: string, blocks: readonly Listed[]) => Promise<ReadonlyMap<string, number>>

/** Rejects with `UpstreamError` when the chain has another block in the place of one. */
export function createReadBlockTimes(pools: ReadonlyMap<string, RpcPool>): ReadBlockTimes {
  const gate = createGate(AT_ONCE)
  return async (chain, blocks) => {
    if (blocks.length === 0) return new Map()
    const pool = pools.get(chain)
    if (!pool) throw new Error(`${chain} is not enabled`)
    const session = pool.session()
    const hashes = new Map(blocks.map(({ block, blockHash }) => [block, blockHash]))
    const read = [...hashes].map(([block, expected]) =>
      gate(async () => {
        const { hash, timestamp } = await session.request(blockRequest(block))
        if (hash !== expected) throw new UpstreamError('invalid', 'a block was replaced meanwhile')
        return [expected, timestamp] as const
      }),
    )
    return new Map(await Promise.all(read))
  }
}
