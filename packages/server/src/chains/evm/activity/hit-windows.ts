import { toEventSelector } from 'viem'
import type { BlockRange } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { pagesOf } from '../../../lib/pages.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { RpcRefusal } from '../../rpc/json-rpc.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import {
  type EventLog,
  inOrder,
  logRequest,
  type TopicFilter,
  TRANSFER,
  topicOfAddress,
  topicOfPrefix,
  walletsByTopic,
} from '../logs/logs.ts'
import { type FiltersFor, type LogStep, scanLogs } from '../logs/scan-logs.ts'
import type { Hex } from '../rpc-values.ts'
import ownerEvents from './owner-events.json' with { type: 'json' }
import type { Found } from './read-transactions.ts'
import type { ActivitySearch } from './wallet-activity.ts'

type Hit = Found & { wallets: Set<EvmAddress> }

export type HitWindow = BlockRange & { hits: Hit[]; failure?: UpstreamError }

/** A block is never divided. */
const WINDOW_HITS = 400
const WINDOW_STEPS = 64
/** The range bounds the search. */
const MAX_REQUESTS = 1_000_000

/** Starts at the oldest served block. Never rejects for a node failure. */
export async function* hitWindows(
  pool: RpcPool,
  { wallets, range, prefixes = false }: ActivitySearch,
): AsyncGenerator<HitWindow, void, undefined> {
  const byTopic = walletsByTopic(wallets, { prefixes })
  const filters = filtersFor(wallets, prefixes)
  let open: HitWindow = { fromBlock: range.fromBlock, toBlock: range.fromBlock - 1n, hits: [] }
  let steps = 0
  try {
    for await (const step of scanLogs({ pool, ...range, filters, maxRequests: MAX_REQUESTS })) {
      open = extended(open, step, byTopic)
      steps += 1
      while (open.hits.length > WINDOW_HITS) {
        const [window, rest] = divide(open)
        yield window
        open = rest
      }
      if (steps < WINDOW_STEPS && open.hits.length < WINDOW_HITS) continue
      if (open.toBlock >= open.fromBlock) yield open
      open = { fromBlock: step.toBlock + 1n, toBlock: step.toBlock, hits: [] }
      steps = 0
    }
    if (open.toBlock >= open.fromBlock) yield open
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    yield { ...open, failure: error }
  }
}

function extended(open: HitWindow, step: LogStep, byTopic: ReadonlyMap<Hex, readonly EvmAddress[]>): HitWindow {
  const fromBlock = step.fromBlock === open.toBlock + 1n ? open.fromBlock : step.fromBlock
  return { fromBlock, toBlock: step.toBlock, hits: [...open.hits, ...hitsOf(step, byTopic)] }
}

function divide({ fromBlock, toBlock, hits }: HitWindow): [HitWindow, HitWindow] {
  const last = hits[WINDOW_HITS - 1]?.block ?? toBlock
  const beyond = hits.findIndex(({ block }) => block > last)
  const end = beyond < 0 ? hits.length : beyond
  return [
    { fromBlock, toBlock: last, hits: hits.slice(0, end) },
    { fromBlock: last + 1n, toBlock, hits: hits.slice(end) },
  ]
}

function filtersFor(wallets: readonly EvmAddress[], prefixes: boolean): FiltersFor {
  return async ({ endpoint, mostValues, askHead }): Promise<TopicFilter[]> => {
    const groups = pagesOf(wallets, prefixes ? Math.ceil(mostValues / 2) : mostValues)
    const known = endpoint.capabilities
    known.anyEvent ??= await tryAnyEvent(endpoint, await askHead())
    const ways = known.anyEvent === null ? [true, false] : [known.anyEvent]
    return ways.flatMap((way) => groups.flatMap((group) => ownerFilters(group, way, prefixes)))
  }
}

/** For endpoints without filters for any event: standards, and protocols that are widely used or log no `Transfer`. */
const KNOWN_EVENTS = [...new Set(Object.values(ownerEvents).flat())].map((event) => toEventSelector(event))

const POSITIONS = [1, 2, 3]
/** Account prefix in `CallWithContext` of Euler's connector. */
const PREFIX_POSITION = 2

/** `any`: every event, otherwise the known ones. `prefixes`: also sub-accounts, which share the first 19 bytes. */
function ownerFilters(wallets: readonly EvmAddress[], any: boolean, prefixes: boolean): TopicFilter[] {
  const owners = wallets.map(topicOfAddress)
  return POSITIONS.map((position) => [
    any ? null : KNOWN_EVENTS,
    ...Array<null>(position - 1).fill(null),
    prefixes && position === PREFIX_POSITION ? [...owners, ...wallets.map(topicOfPrefix)] : owners,
  ])
}

function hitsOf({ logs }: LogStep, byTopic: ReadonlyMap<Hex, readonly EvmAddress[]>): Hit[] {
  const hits = new Map<Hex, Hit>()
  const hashes = new Map<bigint, Hex>()
  for (const { transactionHash: hash, blockNumber: block, blockHash, blockTime: time, topics } of logs) {
    if ((hashes.get(block) ?? blockHash) !== blockHash)
      throw new UpstreamError('invalid', 'the logs of one block name two blocks: the chain may have changed')
    hashes.set(block, blockHash)
    const hit = hits.get(hash) ?? { hash, block, blockHash, time, wallets: new Set() }
    hits.set(hash, hit)
    for (const owner of topics.slice(1).flatMap((topic) => byTopic.get(topic) ?? [])) hit.wallets.add(owner)
  }
  return [...hits.values()]
}

/** Blocks back from the head; one suffices on a busy chain. */
const WIDTHS = [1n, 16n, 256n, 4096n]
const SAMPLES = 3

/**
 * Tests searches with topic 0 null: some nodes refuse them or omit logs. Each address must also find transfers near the
 * head. Null without such transfers.
 */
async function tryAnyEvent(endpoint: RpcEndpoint, head: bigint): Promise<boolean | null> {
  for (const width of WIDTHS) {
    const range = { fromBlock: head >= width ? head - width + 1n : 0n, toBlock: head }
    const transfers = await search(endpoint, [TRANSFER], range)
    // Wider ranges would be refused, narrower ones had no transfers.
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
