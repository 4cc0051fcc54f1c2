import type { ApprovalReading } from '../../chains/approval-reading.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'

type Listed = { block: bigint; blockHash: string }

/** Unix seconds by block hash. */
export type ReadBlockTimes = (chain: string, blocks: readonly Listed[]) => Promise<ReadonlyMap<string, number>>

/** Rejects with `UpstreamError` if a block was replaced. */
export function createReadBlockTimes(readingOf: (chain: string) => ApprovalReading): ReadBlockTimes {
  return async (chain, blocks) => {
    if (blocks.length === 0) return new Map()
    const hashes = new Map(blocks.map(({ block, blockHash }) => [block, blockHash]))
    const found = await readingOf(chain).blocks(chain, [...hashes.keys()])
    for (const { number, hash } of found) {
      if (hash !== hashes.get(number)) throw new UpstreamError('invalid', 'a block was replaced meanwhile')
    }
    return new Map(found.map(({ hash, timestamp }) => [hash, timestamp]))
  }
}
