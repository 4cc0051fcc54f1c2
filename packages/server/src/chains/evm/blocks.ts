import { NATIVE } from '../../domain/evm-address.ts'
import { createTickBatch } from '../../lib/tick-batch.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { isRecord, RpcRefusal, type RpcRequest } from '../rpc/json-rpc.ts'
import { requestEach, valueOrThrow } from '../rpc/request-each.ts'
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import type { RpcPool } from '../rpc/rpc-pool.ts'
import type { BlockAtTime, LastBlocks, PresentChain, SeenBlock } from '../seen-block.ts'
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

/** A chain with even block times needs about ten. */
const MOST_GUESSES = 24

/** First block at or after `timestamp` (Unix seconds). Rejects with `UpstreamError`. */
export async function findBlockAtTime(pool: RpcPool, timestamp: number): Promise<BlockAtTime> {
  return pool.session().run(async (endpoint) => {
    const ask = (number: bigint) => endpoint.request(blockRequest(number))
    const final = await finalBlock(endpoint, pool.finality)
    if (final.timestamp >= timestamp) {
      return { final, block: (await search(ask, { from: await ask(0n), to: final }, timestamp)).first }
    }
    const head = await endpoint.request(blockRequest(null))
    if (head.timestamp < timestamp) return { final }
    return { final, early: (await search(ask, { from: final, to: head }, timestamp)).first }
  })
}

/** Times searched first: they bound the others, which then need few guesses. */
const LANDMARKS = 20

/** Last blocks at or before `times` (Unix seconds), ascending. Rejects with `UpstreamError`. */
export async function findLastBlocks(pool: RpcPool, times: readonly number[]): Promise<LastBlocks> {
  const session = pool.session()
  return session.run(async (endpoint) => {
    const [final, genesis] = await Promise.all([
      finalBlock(endpoint, pool.finality),
      endpoint.request(blockRequest(0n)),
    ])
    const newest = times.some((time) => time >= final.timestamp) ? await endpoint.request(blockRequest(null)) : final
    if (newest !== final) session.checkHead(endpoint, newest)
    const together = createTickBatch(async (numbers: readonly bigint[]) =>
      (await requestEach(endpoint, numbers.map(blockRequest))).map(valueOrThrow),
    )
    const known = [genesis, final, newest]
    const lastAt = async (time: number): Promise<readonly [number, ListedBlock | undefined]> => {
      const before = known.findLast(({ timestamp }) => timestamp <= time)
      const after = known.find(({ timestamp }) => timestamp > time)
      if (!before || !after) return [time, before]
      const found = await search(together, { from: before, to: after }, time + 1)
      return [time, found.before]
    }
    const step = Math.ceil(times.length / LANDMARKS)
    const landmarks = await Promise.all(times.filter((_, i) => i % step === 0).map(lastAt))
    known.push(...landmarks.flatMap(([, block]) => block ?? []))
    known.sort((a, b) => Number(a.number - b.number))
    const others = await Promise.all(times.filter((_, i) => i % step !== 0).map(lastAt))
    return { final, blocks: new Map([...landmarks, ...others]) }
  })
}

const stateRequest = (block: bigint): RpcRequest<bigint> => ({
  method: 'eth_getBalance',
  params: [NATIVE, `0x${block.toString(16)}`],
  parse: parseQuantity,
})

/** A node that answers for `missing` too runs every call on its newest state. At most one request per bit of the head. */
export async function findOldestState(pool: RpcPool, missing: bigint): Promise<bigint | undefined> {
  const isThere = async (block: bigint) => (await pool.askEach(stateRequest(block))).length > 0
  let [last, first] = [missing, (await readHead(pool)).number]
  if ((await isThere(last)) || !(await isThere(first))) return undefined
  while (first - last > 1n) {
    const middle = (last + first) / 2n
    if (await isThere(middle)) first = middle
    else last = middle
  }
  return first
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
  ask: (number: bigint) => Promise<ListedBlock>,
  { from, to }: { from: ListedBlock; to: ListedBlock },
  timestamp: number,
): Promise<{ before?: ListedBlock; first: ListedBlock }> {
  const boundAt = async (number: bigint) => boundOf(await ask(number), timestamp)
  let before = boundOf(from, timestamp)
  let after = boundOf(to, timestamp)
  if (!before.isBefore) return { first: before.block }
  let wasBefore: boolean | undefined
  for (let asked = 0; after.block.number - before.block.number > 1n; asked += 1) {
    const found = await boundAt(between(before, after, asked < MOST_GUESSES))
    const stays = found.isBefore ? after : before
    if (found.isBefore === wasBefore) stays.miss /= 2
    if (found.isBefore) before = found
    else after = found
    wasBefore = found.isBefore
  }
  return { before: before.block, first: after.block }
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
