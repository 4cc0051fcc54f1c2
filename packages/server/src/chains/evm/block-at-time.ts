import { RpcRefusal } from '../rpc/json-rpc.ts'
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import type { RpcPool } from '../rpc/rpc-pool.ts'
import type { BlockAtTime } from '../seen-block.ts'
import { blockRequest, type ListedBlock } from './blocks.ts'

/** A chain with even block times needs about ten. */
const MOST_GUESSES = 24

/** First block at or after `timestamp` (Unix seconds). Rejects with `UpstreamError`. */
export async function findBlockAtTime(pool: RpcPool, timestamp: number): Promise<BlockAtTime> {
  return pool.session().run(async (endpoint) => {
    const final = await finalBlock(endpoint, pool.finality)
    if (final.timestamp >= timestamp) {
      const from = await endpoint.request(blockRequest(0n))
      return { final, block: await search(endpoint, { from, to: final }, timestamp) }
    }
    const head = await endpoint.request(blockRequest(null))
    if (head.timestamp < timestamp) return { final }
    return { final, early: await search(endpoint, { from: final, to: head }, timestamp) }
  })
}

export async function finalBlock(endpoint: RpcEndpoint, finality: bigint): Promise<ListedBlock> {
  try {
    return await endpoint.request(blockRequest('finalized'))
  } catch (error) {
    if (!(error instanceof RpcRefusal) || error.kind === 'rate-limited') throw error
    const { number } = await endpoint.request(blockRequest(null))
    return endpoint.request(blockRequest(number > finality ? number - finality : 0n))
  }
}

/** Interpolates: block times never decrease. A bound that stays twice counts half (Illinois rule). */
async function search(
  endpoint: RpcEndpoint,
  { from, to }: { from: ListedBlock; to: ListedBlock },
  timestamp: number,
): Promise<ListedBlock> {
  const boundAt = async (number: bigint) => boundOf(await endpoint.request(blockRequest(number)), timestamp)
  let before = boundOf(from, timestamp)
  let after = boundOf(to, timestamp)
  if (!before.isBefore) return before.block
  let wasBefore: boolean | undefined
  for (let asked = 0; after.block.number - before.block.number > 1n; asked += 1) {
    const found = await boundAt(between(before, after, asked < MOST_GUESSES))
    const stays = found.isBefore ? after : before
    if (found.isBefore === wasBefore) stays.miss /= 2
    if (found.isBefore) before = found
    else after = found
    wasBefore = found.isBefore
  }
  return after.block
}

type Bound = { block: ListedBlock; isBefore: boolean; miss: number }

/** Half a second off, never zero. */
function boundOf(block: ListedBlock, timestamp: number): Bound {
  return { block, isBefore: block.timestamp < timestamp, miss: Math.abs(timestamp - 0.5 - block.timestamp) }
}

function between(before: Bound, after: Bound, guesses: boolean): bigint {
  const blocks = Number(after.block.number - before.block.number)
  const share = guesses ? before.miss / (before.miss + after.miss) : 0.5
  return before.block.number + BigInt(Math.min(Math.max(Math.round(blocks * share), 1), blocks - 1))
}
