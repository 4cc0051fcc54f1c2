import type { BlockRange } from '../../domain/block-ranges.ts'
import { type EvmAddress, evmAddress } from '../../domain/evm-address.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { type Hex, isRecord, parseData, parseHash, parseQuantity, type RpcRequest } from './json-rpc.ts'
import { narrower } from './log-limits.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'
import type { RpcPool } from './rpc-pool.ts'

/** By position: one value, any of several, or anything. At least one is named. */
type TopicFilter = readonly (Hex | readonly Hex[] | null)[]

type EventLog = {
  address: EvmAddress
  topics: Hex[]
  data: Hex
  blockNumber: bigint
  blockHash: Hex
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

/** Fewer logs than this: the next request may ask for twice the blocks. */
const SPARSE = 500
const MAX_REQUESTS = 1_000
/** How often one endpoint is asked for fewer blocks before another is tried. */
const MOST_NARROWINGS = 24

/** What one search has met at one endpoint: how far the node reaches, and the narrowest width it refused. */
type Met = { head: bigint; refused: bigint | undefined }
type Step = { logs: EventLog[]; to: bigint }
type Progress = { search: LogSearch; met: Map<RpcEndpoint, Met>; requestsLeft: number }

/** Searches a range in steps as wide as each endpoint takes; the widths are learned and kept. Never rejects for a node's failure. */
export async function findLogs(search: LogSearch): Promise<FoundLogs> {
  const { pool, fromBlock, toBlock } = search
  const session = pool.session()
  const progress: Progress = { search, met: new Map(), requestsLeft: search.maxRequests ?? MAX_REQUESTS }
  const found: EventLog[] = []
  let next = fromBlock
  let failure: UpstreamError | undefined
  while (next <= toBlock && progress.requestsLeft > 0 && !failure) {
    const from = next
    const step = await session.run((endpoint) => searchStep(endpoint, progress, from)).catch(upstreamFailure)
    if (step instanceof UpstreamError) failure = step
    else {
      found.push(...step.logs)
      next = step.to + 1n
    }
  }
  return {
    logs: inOrder(found),
    covered: next > fromBlock ? [{ fromBlock, toBlock: next - 1n }] : [],
    missing: next <= toBlock ? [{ fromBlock: next, toBlock }] : [],
    ...(failure && { failure }),
  }
}

function upstreamFailure(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error
  throw error
}

/** One range from `from` on, as wide as this endpoint takes. */
async function searchStep(endpoint: RpcEndpoint, progress: Progress, from: bigint): Promise<Step> {
  const known = endpoint.capabilities
  const met = progress.met.get(endpoint) ?? { head: -1n, refused: undefined }
  progress.met.set(endpoint, met)
  const { toBlock } = progress.search
  let width = known.logRange === null ? toBlock - from + 1n : BigInt(known.logRange)
  for (let narrowings = 0; ; narrowings += 1) {
    const to = from + width - 1n < toBlock ? from + width - 1n : toBlock
    const asked = to - from + 1n
    progress.requestsLeft -= 1
    try {
      await assertReaches(endpoint, to, met)
      const logs = await endpoint.request(
        logRequest(progress.search, { fromBlock: from, toBlock: to }, endpoint.limits.logTimeoutMs),
      )
      known.logRange = String(nextWidth(width, asked, logs.length, met))
      return { logs, to }
    } catch (error) {
      width = fewerBlocks(error, asked, narrowings)
      if (asked < (met.refused ?? asked + 1n)) met.refused = asked
    }
  }
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

function logRequest(
  { topics, addresses }: LogSearch,
  { fromBlock, toBlock }: BlockRange,
  timeoutMs: number,
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
    timeoutMs,
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
  const address = parseData(value['address'])
  if (address.length !== 42) throw new UpstreamError('invalid', 'expected an address')
  return {
    address: evmAddress(address),
    topics: value['topics'].map(parseHash),
    data: parseData(value['data']),
    blockNumber: parseQuantity(value['blockNumber']),
    blockHash: parseHash(value['blockHash']),
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
function inOrder(logs: readonly EventLog[]): EventLog[] {
  const byPlace = new Map(logs.map((log) => [`${log.blockNumber}:${log.logIndex}`, log]))
  return [...byPlace.values()].sort((a, b) =>
    a.blockNumber === b.blockNumber ? a.logIndex - b.logIndex : Number(a.blockNumber - b.blockNumber),
  )
}
