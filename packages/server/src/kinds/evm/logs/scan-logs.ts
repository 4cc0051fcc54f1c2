import { type BlockRange, mergeRanges, missingRanges } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { isPruned } from '../../rpc/json-rpc.ts'
import { NotOffered, noteRefused, offers } from '../../rpc/offers.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import { parseQuantity } from '../rpc-values.ts'
import { refusesLogs } from './log-limits.ts'
import { isTrial, learnRefused, learnTaken, type MetWidths, nextWidth } from './log-widths.ts'
import { type EventLog, inOrder, logRequest, type TopicFilter } from './logs.ts'
import { findFirstServed, firstServedBlock, HistoryPruned } from './served-logs.ts'

/**
 * The logs found and the ranges searched. `missing` ranges were not searched, regardless of `logs`: no node answered
 * for them, or the request limit was reached. `failure` is set if a node was the reason.
 */
export type FoundLogs = { logs: EventLog[]; covered: BlockRange[]; missing: BlockRange[]; failure?: UpstreamError }

export type LogSearch = BlockRange & {
  pool: RpcPool
  /** A request each, for every range. */
  filters: readonly TopicFilter[]
  /** Contracts whose logs are searched; all when absent. */
  addresses?: readonly EvmAddress[]
  /** Limit of requests; the rest is left for a later search. */
  maxRequests?: number
}

/** A search by several filters. It applies all of them to a range before it moves to the next range. */
export type LogScan = BlockRange & {
  pool: RpcPool
  /** The filters for an endpoint, by what it supports. `head`: the newest block that it has. */
  filters: (endpoint: RpcEndpoint, head: bigint) => Promise<readonly TopicFilter[]> | readonly TopicFilter[]
  addresses?: readonly EvmAddress[]
  maxRequests?: number
}

/** A range that was searched by all filters, and its logs in order. */
export type LogStep = BlockRange & { logs: EventLog[] }

const MAX_REQUESTS = 1_000
/** How often a range is narrowed at one endpoint before another is tried. */
const MOST_NARROWINGS = 24

/** What one search has learned about an endpoint. `head`: the newest block that it has. */
type Met = MetWidths & { head: bigint }
type Progress = { scan: LogScan; met: Map<RpcEndpoint, Met>; requestsLeft: number }

/**
 * Searches a range in steps as wide as each endpoint accepts; learns and stores the widths. Pruned ranges are
 * `missing`. Never rejects because of a node failure.
 */
export async function findLogs({ filters, ...search }: LogSearch): Promise<FoundLogs> {
  const found: EventLog[] = []
  const searched: BlockRange[] = []
  let failure: UpstreamError | undefined
  try {
    for await (const { logs, fromBlock, toBlock } of scanLogs({ ...search, filters: () => filters })) {
      for (const log of logs) found.push(log)
      searched.push({ fromBlock, toBlock })
    }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    failure = error
  }
  const covered = mergeRanges(searched)
  return { logs: found, covered, missing: missingRanges(search, covered), ...(failure && { failure }) }
}

/**
 * As `findLogs`, but yields range by range, from the oldest served block on. Ends early at the request limit. Throws
 * `UpstreamError` if no endpoint answers, and at the end if all endpoints have pruned some of the blocks. Ranges that
 * were not yielded were not searched.
 */
export async function* scanLogs(scan: LogScan): AsyncGenerator<LogStep, void, undefined> {
  const session = scan.pool.session()
  const progress: Progress = { scan, met: new Map(), requestsLeft: scan.maxRequests ?? MAX_REQUESTS }
  let dropped: HistoryPruned | undefined
  for (let next = scan.fromBlock; next <= scan.toBlock && progress.requestsLeft > 0; ) {
    const from = next
    const step = await session.run((endpoint) => searchStep(endpoint, progress, from)).catch(keptFrom(progress, from))
    if (step instanceof HistoryPruned) {
      dropped = step
      next = step.firstBlock
      continue
    }
    next = step.toBlock + 1n
    yield step
  }
  if (dropped) throw dropped
}

/**
 * Turns a `HistoryPruned` at block `from` into the block where the search continues. Throws it if that is beyond the
 * range; rethrows any other error.
 */
function keptFrom({ scan, met }: Progress, from: bigint): (error: unknown) => HistoryPruned {
  return (error) => {
    if (!(error instanceof HistoryPruned)) throw error
    // Continues at the endpoint that keeps the most history.
    const firsts = [...met.keys()].map(firstServedBlock).filter((block) => block > from)
    const [first = error.firstBlock] = firsts.toSorted((a, b) => Number(a - b))
    const pruned = new HistoryPruned(scan.pool.chain, first)
    if (first > scan.toBlock) throw pruned
    return pruned
  }
}

/** Some gateways serve logs only by contract address. */
const methodOf = ({ addresses }: LogScan) => (addresses ? 'eth_getLogs of an address' : 'eth_getLogs')

/** Searches one range from `from` on, as wide as this endpoint accepts. */
async function searchStep(endpoint: RpcEndpoint, progress: Progress, from: bigint): Promise<LogStep> {
  const { scan } = progress
  const met = metAt(endpoint, progress)
  assertServes(endpoint, scan, from)
  let width = nextWidth(endpoint, met) ?? scan.toBlock - from + 1n
  for (let narrowings = 0; ; narrowings += 1) {
    const range = { fromBlock: from, toBlock: lesser(from + width - 1n, scan.toBlock) }
    const asked = range.toBlock - from + 1n
    await assertReaches(endpoint, range.toBlock, met)
    try {
      const answers = await askFilters(endpoint, progress, met, range)
      if (asked === width) learnTaken(endpoint, met, width, answers)
      return { ...range, logs: inOrder(answers.flat()) }
    } catch (error) {
      const fewer = narrowings < MOST_NARROWINGS ? learnRefused(endpoint, met, error, asked) : undefined
      width = fewer ?? (await giveUp(endpoint, progress, met, range, error))
    }
  }
}

const lesser = (a: bigint, b: bigint) => (a < b ? a : b)

function metAt(endpoint: RpcEndpoint, { met }: Progress): Met {
  const known = met.get(endpoint) ?? { head: -1n, sparse: false, refused: undefined }
  met.set(endpoint, known)
  return known
}

/** Throws without a request while an earlier refusal of the endpoint is remembered. */
function assertServes(endpoint: RpcEndpoint, scan: LogScan, from: bigint): void {
  if (!offers(endpoint, methodOf(scan))) throw new NotOffered(endpoint, methodOf(scan))
  const first = firstServedBlock(endpoint)
  if (from < first) throw new HistoryPruned(endpoint.label, first)
}

/** Requests all filters in parallel; a trial width starts with one of them. */
async function askFilters(
  endpoint: RpcEndpoint,
  progress: Progress,
  met: Met,
  range: BlockRange,
): Promise<EventLog[][]> {
  const { scan } = progress
  const [first, ...others] = await scan.filters(endpoint, met.head)
  if (!first) return []
  const ask = (topics: TopicFilter) => {
    progress.requestsLeft -= 1
    return endpoint.request(logRequest(endpoint, scan, topics, range))
  }
  if (!isTrial(endpoint, range.toBlock - range.fromBlock + 1n)) return await allAnswers([first, ...others].map(ask))
  return [await ask(first), ...(await allAnswers(others.map(ask)))]
}

/** All answers, or the first failure, after every request has settled. */
async function allAnswers<T>(requests: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(requests)
  return settled.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}

/**
 * Throws the reason why this endpoint does not serve the range. Remembers that it serves no logs, or which blocks it
 * has pruned.
 */
async function giveUp(
  endpoint: RpcEndpoint,
  progress: Progress,
  met: Met,
  { fromBlock, toBlock }: BlockRange,
  error: unknown,
): Promise<never> {
  const { scan } = progress
  if (fromBlock === toBlock && refusesLogs(error)) {
    noteRefused(endpoint, methodOf(scan))
    throw new NotOffered(endpoint, methodOf(scan), error)
  }
  if (!isPruned(error)) throw error
  const [topics = []] = await scan.filters(endpoint, met.head)
  const asks = (block: bigint) =>
    endpoint.request(logRequest(endpoint, scan, topics, { fromBlock: block, toBlock: block }))
  const first = await findFirstServed(endpoint, { refused: fromBlock, newest: met.head }, asks)
  throw new HistoryPruned(endpoint.label, first)
}

/** A node that is behind answers "no logs" for blocks that it lacks, and they would count as searched. */
async function assertReaches(endpoint: RpcEndpoint, to: bigint, met: Met): Promise<void> {
  if (met.head >= to) return
  met.head = await endpoint.request({ method: 'eth_blockNumber', params: [], parse: parseQuantity })
  if (met.head < to)
    throw new UpstreamError('unavailable', `${endpoint.label} does not reach the end of the search yet`)
}
