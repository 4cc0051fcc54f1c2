import type { BlockRange } from '../../../domain/block-ranges.ts'
import type { UpstreamError } from '../../../lib/upstream-error.ts'
import { RpcRefusal } from '../../rpc/json-rpc.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import { TRANSFER } from '../logs/erc20-events.ts'
import { type EventLog, inOrder, logRequest, type TopicFilter } from '../logs/logs.ts'
import type { Hex } from '../rpc-values.ts'

/** Blocks back from the head; one suffices on a busy chain. */
const WIDTHS = [1n, 16n, 256n, 4096n]
const SAMPLES = 3

/**
 * Tests searches with topic 0 null: some nodes refuse them, others omit logs. Transfers near the head must also be
 * found by each of their addresses. Null if there were none.
 */
export async function servesAnyEvent(endpoint: RpcEndpoint, askHead: () => Promise<bigint>): Promise<boolean | null> {
  const known = endpoint.capabilities
  known.anyEvent ??= await tryAnyEvent(endpoint, await askHead())
  return known.anyEvent
}

async function tryAnyEvent(endpoint: RpcEndpoint, head: bigint): Promise<boolean | null> {
  for (const width of WIDTHS) {
    const range = { fromBlock: head >= width ? head - width + 1n : 0n, toBlock: head }
    const transfers = await search(endpoint, [TRANSFER], range)
    // Wider ranges would be refused too, and narrower ones had no transfers.
    if (transfers instanceof RpcRefusal) return null
    const last = inOrder(transfers.filter(({ topics }) => topics.length >= 3)).at(-1)
    if (last) return await findsAll(endpoint, transfers, last.blockNumber)
  }
  return null
}

async function findsAll(endpoint: RpcEndpoint, transfers: readonly EventLog[], block: bigint): Promise<boolean> {
  const inBlock = transfers.filter(({ topics, blockNumber }) => blockNumber === block && topics.length >= 3)
  const samples = inBlock.slice(0, SAMPLES)
  const findsBy = async (position: number): Promise<boolean> => {
    const owners = [...new Set(samples.map(({ topics }) => topics[position] as Hex))]
    const filter = [...Array<null>(position).fill(null), owners]
    const found = await search(endpoint, filter, { fromBlock: block, toBlock: block })
    if (found instanceof RpcRefusal) return false
    const places = new Set(found.map(placeOf))
    return samples.every((sample) => places.has(placeOf(sample)))
  }
  return (await Promise.all([1, 2].map(findsBy))).every(Boolean)
}

const placeOf = ({ blockNumber, logIndex }: EventLog) => `${blockNumber}:${logIndex}`

async function search(endpoint: RpcEndpoint, topics: TopicFilter, range: BlockRange): Promise<EventLog[] | RpcRefusal> {
  return await endpoint.request(logRequest(endpoint, {}, topics, range)).catch((error: UpstreamError) => {
    if (error instanceof RpcRefusal && error.kind !== 'rate-limited') return error
    throw error
  })
}
