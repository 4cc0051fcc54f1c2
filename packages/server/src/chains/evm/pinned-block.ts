import type { Chain } from '../chain.ts'
import { blockRequest, type ListedBlock } from './block-header.ts'
import type { BlockHeader } from './evm-reader.ts'
import { runWave } from './read-ladder.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'
import type { RpcPool } from './rpc-pool.ts'
import { assertSameBlock, reorganised, type SeenBlock, type Wave, type WaveResult } from './wave.ts'

export type PinnedBlockOptions = { pool: RpcPool; chain: Chain; at?: bigint }

/**
 * One block, found by the first wave (or given), at which all later waves run. Later waves must see the same block from
 * inside, and the node must list it under the same hash: a block can be replaced by one that looks the same from inside.
 */
export type PinnedBlock = {
  /** Rejects when the first wave failed. */
  readonly header: Promise<BlockHeader>
  runFirst(wave: Wave): Promise<WaveResult>
  runLater(wave: Wave): Promise<WaveResult>
}

type Pin = { seen: SeenBlock; header: BlockHeader & { hash: `0x${string}` } }

export function createPinnedBlock({ pool, chain, at }: PinnedBlockOptions): PinnedBlock {
  const session = pool.session()
  const pin = Promise.withResolvers<Pin>()
  const header = pin.promise.then((pinned) => pinned.header)
  header.catch(() => undefined)

  async function findBlock(wave: Wave): Promise<WaveResult> {
    const { result, hash } = await session.run(async (endpoint) => {
      const [result, listed] = await Promise.all([
        runWave({ endpoint, chain, wave, at: at ?? null }),
        endpoint.request(blockRequest(at ?? null)),
      ])
      if (at === undefined) session.checkHead(endpoint, result.block)
      return { result, hash: await hashOf(result.block, listed, endpoint) }
    })
    const { number, timestamp, parentHash } = result.block
    pin.resolve({ seen: result.block, header: { number, timestamp, parentHash, hash } })
    return result
  }

  async function runLater(wave: Wave): Promise<WaveResult> {
    const { seen, header } = await pin.promise
    const [result, listed] = await session.run((endpoint) =>
      Promise.all([runWave({ endpoint, chain, wave, at: seen.number }), endpoint.request(blockRequest(seen.number))]),
    )
    assertSameBlock(seen, result.block)
    if (listed.hash !== header.hash) throw reorganised(seen.number)
    return result
  }

  return {
    header,
    runLater,
    async runFirst(wave) {
      try {
        return await findBlock(wave)
      } catch (error) {
        pin.reject(error)
        throw error
      }
    },
  }
}

/** The hash of the block a wave ran on, from a listing made beside it: of that block, of its child, or asked once more. */
async function hashOf(seen: SeenBlock, listed: ListedBlock, endpoint: RpcEndpoint): Promise<`0x${string}`> {
  if (listed.number === seen.number + 1n) return listed.parentHash
  const block = listed.number === seen.number ? listed : await endpoint.request(blockRequest(seen.number))
  if (block.timestamp !== seen.timestamp || block.parentHash !== seen.parentHash) throw reorganised(seen.number)
  return block.hash
}
