import type { BlockRange } from '../../domain/block-ranges.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { isRecord, type RpcRequest } from '../rpc/json-rpc.ts'
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import type { RpcPool } from '../rpc/rpc-pool.ts'
import { narrower } from './log-limits.ts'
import { type Hex, parseAddress, parseBlockTime, parseData, parseHash, parseQuantity } from './rpc-values.ts'

/** By position: one value, any of several, or anything. At least one is named. */
export type TopicFilter = readonly (Hex | readonly Hex[] | null)[]

export type EventLog = {
  address: EvmAddress
  topics: Hex[]
  data: Hex
  blockNumber: bigint
  blockHash: Hex
  /** Unix seconds; null where the node does not say it with the log. */
  blockTime: number | null
  transactionHash: Hex
  logIndex: number
}

/**
 * What was found, and where it was looked for. `missing` is what a node did not answer for, or what was left for another
 * time: it has not been searched, whatever `logs` holds. `failure` is why, when a node was the reason.
 */
export type FoundLogs = { logs: EventLog[]; covered: BlockRange[]; missing: BlockRange[]; failure?: UpstreamError }

export type LogSearch = BlockRange & {
  pool: RpcPool
  topics: TopicFilter
  /** Contracts that may have logged it; all when absent. */
  addresses?: readonly EvmAddress[]
  /** Requests after which the rest is left for another time. */
  maxRequests?: number
}

/** A search by several filters at once: each range is asked for by all of them before the next one is. */
export type LogScan = BlockRange & {
  pool: RpcPool
  /** As far as the endpoint takes them. `head` is the newest block it has. */
  filters: (endpoint: RpcEndpoint, head: bigint) => Promise<readonly TopicFilter[]> | readonly TopicFilter[]
  addresses?: readonly EvmAddress[]
  maxRequests?: number
}

/** A range that was searched by all filters, and its logs in order. */
export type LogStep = BlockRange & { logs: EventLog[] }

/** Fewer logs than this: the next request may ask for twice the blocks. */
const SPARSE = 500
const MAX_REQUESTS = 1_000
/** How often one endpoint is asked for fewer blocks before another is tried. */
const MOST_NARROWINGS = 24

/** What one search has met at one endpoint: how far the node reaches, and the narrowest width it refused. */
type Met = { head: bigint; refused: bigint | undefined }
type Progress = { scan: LogScan; met: Map<RpcEndpoint, Met>; requestsLeft: number }

/** Searches a range in steps as wide as each endpoint takes; the widths are learned and kept. Never rejects for a node's failure. */
export async function findLogs({ topics, ...search }: LogSearch): Promise<FoundLogs> {
  const { fromBlock, toBlock } = search
  const found: EventLog[] = []
  let next = fromBlock
  let failure: UpstreamError | undefined
  try {
    for await (const step of scanLogs({ ...search, filters: () => [topics] })) {
      for (const log of step.logs) found.push(log)
      next = step.toBlock + 1n
    }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    failure = error
  }
  return {
    logs: found,
    covered: next > fromBlock ? [{ fromBlock, toBlock: next - 1n }] : [],
    missing: next <= toBlock ? [{ fromBlock: next, toBlock }] : [],
    ...(failure && { failure }),
  }
}

/**
 * As `findLogs`, range by range from the oldest on. Ends early when the requests are used up, and throws `UpstreamError`
 * where no endpoint answers: what was not yielded has not been searched.
 */
export async function* scanLogs(scan: LogScan): AsyncGenerator<LogStep, void, undefined> {
  const session = scan.pool.session()
  const progress: Progress = { scan, met: new Map(), requestsLeft: scan.maxRequests ?? MAX_REQUESTS }
  for (let next = scan.fromBlock; next <= scan.toBlock && progress.requestsLeft > 0; ) {
    const from = next
    const step = await session.run((endpoint) => searchStep(endpoint, progress, from))
    next = step.toBlock + 1n
    yield step
  }
}

/** One range from `from` on, as wide as this endpoint takes. */
async function searchStep(endpoint: RpcEndpoint, progress: Progress, from: bigint): Promise<LogStep> {
  const { scan } = progress
  const known = endpoint.capabilities
  const met = progress.met.get(endpoint) ?? { head: -1n, refused: undefined }
  progress.met.set(endpoint, met)
  let width = known.logRange === null ? scan.toBlock - from + 1n : BigInt(known.logRange)
  for (let narrowings = 0; ; narrowings += 1) {
    const to = from + width - 1n < scan.toBlock ? from + width - 1n : scan.toBlock
    const asked = to - from + 1n
    await assertReaches(endpoint, to, met)
    const filters = await scan.filters(endpoint, met.head)
    progress.requestsLeft -= filters.length
    const range = { fromBlock: from, toBlock: to }
    try {
      const answers = await allAnswers(
        filters.map((topics) => endpoint.request(logRequest(endpoint, scan, topics, range))),
      )
      const most = Math.max(...answers.map(({ length }) => length))
      known.logRange = String(nextWidth(width, asked, most, met))
      return { ...range, logs: inOrder(answers.flat()) }
    } catch (error) {
      width = fewerBlocks(error, asked, narrowings)
      if (asked < (met.refused ?? asked + 1n)) met.refused = asked
    }
  }
}

/** All of them, or the first failure once none is under way any more. */
async function allAnswers<T>(requests: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(requests)
  return settled.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}

/** Twice as many where there is little to find, up to what was refused before. */
function nextWidth(width: bigint, asked: bigint, logs: number, { refused }: Met): bigint {
  const isSparse = asked === width && logs < SPARSE
  return isSparse && (refused === undefined || width * 2n < refused) ? width * 2n : width
}

/** Throws the error where asking for fewer blocks is no help. */
function fewerBlocks(error: unknown, asked: bigint, narrowings: number): bigint {
  if (!(error instanceof UpstreamError)) throw error
  const fewer = narrowings < MOST_NARROWINGS ? narrower(error, asked) : undefined
  if (fewer === undefined) throw error
  return fewer
}

/** A node that is behind answers "no logs" for blocks it does not have: that would be taken for searched. */
async function assertReaches(endpoint: RpcEndpoint, to: bigint, met: Met): Promise<void> {
  if (met.head >= to) return
  met.head = await endpoint.request({ method: 'eth_blockNumber', params: [], parse: parseQuantity })
  if (met.head < to)
    throw new UpstreamError('unavailable', `${endpoint.label} does not reach the end of the search yet`)
}

/** The logs of a range by one filter, all of them checked against it. */
export function logRequest(
  { limits }: Pick<RpcEndpoint, 'limits'>,
  { addresses }: Pick<LogScan, 'addresses'>,
  topics: TopicFilter,
  { fromBlock, toBlock }: BlockRange,
): RpcRequest<EventLog[]> {
  const filter = {
    fromBlock: `0x${fromBlock.toString(16)}`,
    toBlock: `0x${toBlock.toString(16)}`,
    topics,
    ...(addresses && { address: addresses }),
  }
  return {
    method: 'eth_getLogs',
    params: [filter],
    timeoutMs: limits.logTimeoutMs,
    parse(result) {
      if (!Array.isArray(result)) throw new UpstreamError('invalid', 'expected a list of logs')
      const logs = result.map(parseLog)
      const isAsked = ({ blockNumber, topics: found }: EventLog) =>
        blockNumber >= fromBlock && blockNumber <= toBlock && matches(topics, found)
      if (!logs.every(isAsked))
        throw new UpstreamError('invalid', 'the node answered with logs that were not asked for')
      return logs
    },
  }
}

function parseLog(value: unknown): EventLog {
  if (!isRecord(value) || !Array.isArray(value['topics']) || value['topics'].length > 4 || value['removed'] === true) {
    throw new UpstreamError('invalid', 'expected a log')
  }
  return {
    address: parseAddress(value['address']),
    topics: value['topics'].map(parseHash),
    data: parseData(value['data']),
    blockNumber: parseQuantity(value['blockNumber']),
    blockHash: parseHash(value['blockHash']),
    blockTime: parseBlockTime(value['blockTimestamp']),
    transactionHash: parseHash(value['transactionHash']),
    logIndex: Number(parseQuantity(value['logIndex'])),
  }
}

function matches(filter: TopicFilter, topics: readonly Hex[]): boolean {
  return filter.every((wanted, i) => {
    const topic = topics[i]
    if (wanted === null) return topic !== undefined
    return topic !== undefined && (typeof wanted === 'string' ? wanted === topic : wanted.includes(topic))
  })
}

/** By block and place; a log that a node listed twice is one log. */
export function inOrder(logs: readonly EventLog[]): EventLog[] {
  const byPlace = new Map(logs.map((log) => [`${log.blockNumber}:${log.logIndex}`, log]))
  return [...byPlace.values()].sort((a, b) =>
    a.blockNumber === b.blockNumber ? a.logIndex - b.logIndex : Number(a.blockNumber - b.blockNumber),
  )
}
