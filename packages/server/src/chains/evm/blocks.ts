import { createTickBatch } from '../../lib/tick-batch.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { isRecord, type RpcRequest } from '../rpc/json-rpc.ts'
import { requestEach, valueOrThrow } from '../rpc/request-each.ts'
import type { RpcPool } from '../rpc/rpc-pool.ts'
import type { PresentChain, SeenBlock } from '../seen-block.ts'
import type { BlockHeader } from './reader/evm-reader.ts'
import { type Hex, parseHash, parseQuantity } from './rpc-values.ts'

export type ListedBlock = BlockHeader & { hash: `0x${string}` }

/** `at` null: latest. An unknown block is a failure: the node may lag. */
export function blockRequest(at: bigint | 'finalized' | null): RpcRequest<ListedBlock> {
  const tag = typeof at === 'bigint' ? `0x${at.toString(16)}` : (at ?? 'latest')
  return {
    method: 'eth_getBlockByNumber',
    params: [tag, false],
    parse(result) {
      const block = parseBlock(result)
      const number = parseQuantity(block['number'])
      if (typeof at === 'bigint' && number !== at)
        throw new UpstreamError('invalid', 'the node answered with another block')
      return {
        number,
        timestamp: Number(parseQuantity(block['timestamp'])),
        parentHash: parseHash(block['parentHash']),
        hash: parseHash(block['hash']),
      }
    },
  }
}

export function parseBlock(result: unknown): Record<string, unknown> {
  if (result === null) throw new UpstreamError('unavailable', 'the node does not know the block')
  if (!isRecord(result)) throw new UpstreamError('invalid', 'expected a block')
  return result
}

export function readHead(pool: RpcPool): Promise<ListedBlock> {
  const session = pool.session()
  return session.run(async (endpoint) => {
    const head = await endpoint.request(blockRequest(null))
    session.checkHead(endpoint, head)
    return head
  })
}

export function hashRequest(block: bigint): RpcRequest<Hex | null> {
  return {
    method: 'eth_getBlockByNumber',
    params: [`0x${block.toString(16)}`, false],
    parse: (result) => (isRecord(result) ? parseHash(result['hash']) : null),
  }
}

export async function askPresence(
  pool: RpcPool,
  { block, hash }: SeenBlock,
): Promise<{ there: number; replaced: number; unknown: number }> {
  const hashes = await pool.askEach(hashRequest(block))
  const count = (is: (found: Hex | null) => boolean) => hashes.filter(is).length
  return {
    there: count((found) => found === hash),
    replaced: count((found) => found !== null && found !== hash),
    unknown: count((found) => found === null),
  }
}

export function presentChain(pool: RpcPool): PresentChain {
  return {
    hashAt: (block) => pool.session().request(hashRequest(block)),
    finality: pool.finality,
  }
}

/** Once per block, batched per turn of the event loop. */
export function rememberedChain(pool: RpcPool): PresentChain {
  const ask = createTickBatch((blocks: readonly bigint[]) =>
    pool.session().run(async (endpoint) => (await requestEach(endpoint, blocks.map(hashRequest))).map(valueOrThrow)),
  )
  const asked = new Map<bigint, Promise<string | null>>()
  return {
    hashAt(block) {
      const known = asked.get(block) ?? ask(block)
      asked.set(block, known)
      return known
    },
    finality: pool.finality,
  }
}
