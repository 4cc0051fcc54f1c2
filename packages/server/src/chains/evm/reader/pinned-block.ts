import { seenLater } from '../../../lib/concurrency.ts'
import type { Chain } from '../../chain.ts'
import { takeAlong } from '../../rpc/request-each.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { RpcPool, RpcSession } from '../../rpc/rpc-pool.ts'
import { blockRequest, type ListedBlock } from '../blocks.ts'
import { assertSameBlock, type Batch, type BatchResult, reorganised, type SeenBlock } from './batch.ts'
import { runBatch } from './read-fallbacks.ts'

export type PinnedBlockOptions = { pool: RpcPool; chain: Chain; at?: bigint | undefined }

/**
 * Later batches must see the same block, and the node must list it under the same hash: after a reorg, another may look
 * the same.
 */
export class PinnedBlock {
  readonly header: Promise<ListedBlock>
  isRequested = false
  readonly #chain: Chain
  readonly #at: bigint | undefined
  readonly #session: RpcSession
  readonly #pin = Promise.withResolvers<{ seen: SeenBlock; header: ListedBlock }>()

  constructor({ pool, chain, at }: PinnedBlockOptions) {
    this.#chain = chain
    this.#at = at
    this.#session = pool.session()
    this.header = seenLater(this.#pin.promise.then(({ header }) => header))
  }

  /** The first batch pins the block. */
  run(batch: Batch): Promise<BatchResult> {
    if (this.isRequested) return this.#runLater(batch)
    this.isRequested = true
    return this.#runFirst(batch)
  }

  async #runFirst(batch: Batch): Promise<BatchResult> {
    try {
      const { result, header } = await this.#session.run(async (endpoint) => {
        const [listed, result] = await this.#runAt(endpoint, batch, this.#at ?? null)
        if (this.#at === undefined) this.#session.checkHead(endpoint, result.block)
        return { result, header: await listingOf({ endpoint, chain: this.#chain }, result.block, listed) }
      })
      this.#pin.resolve({ seen: result.block, header })
      return result
    } catch (error) {
      this.#pin.reject(error)
      throw error
    }
  }

  async #runLater(batch: Batch): Promise<BatchResult> {
    const { seen, header } = await this.#pin.promise
    const [listed, result] = await this.#session.run((endpoint) => this.#runAt(endpoint, batch, seen.number))
    assertSameBlock(seen, result.block)
    if (listed.hash !== header.hash) throw reorganised(seen.number)
    return result
  }

  #runAt(endpoint: RpcEndpoint, batch: Batch, at: bigint | null): Promise<[ListedBlock, BatchResult]> {
    const chain = this.#chain
    return takeAlong(endpoint, blockRequest(at), (carrier) => runBatch({ endpoint: carrier, chain, batch, at }))
  }
}

type At = { endpoint: RpcEndpoint; chain: Chain }

async function listingOf(where: At, seen: SeenBlock, beside: ListedBlock): Promise<ListedBlock> {
  const { number, timestamp, parentHash } = seen
  if (beside.number === number + 1n) return { number, timestamp, parentHash, hash: beside.parentHash }
  const listed = beside.number === number ? beside : await where.endpoint.request(blockRequest(number))
  if (listed.timestamp !== timestamp) throw reorganised(number)
  if (listed.parentHash !== parentHash && where.endpoint.capabilities.seesParent)
    await acceptParent(where, seen, listed)
  return listed
}

/** Either the chain changed, or its opcode derives the parent hash from the number. Only the latter persists. */
async function acceptParent({ endpoint, chain }: At, seen: SeenBlock, listed: ListedBlock): Promise<void> {
  const at = seen.number
  const again = await runBatch({ endpoint, chain, batch: { calls: [], scans: [] }, at })
  assertSameBlock(again.block, seen)
  const listedAgain = await endpoint.request(blockRequest(at))
  if (listedAgain.hash !== listed.hash) throw reorganised(at)
  endpoint.capabilities.seesParent = false
}
