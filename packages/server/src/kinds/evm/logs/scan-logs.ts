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

const MAX_REQUESTS = 1_000
/** How often one endpoint is asked for fewer blocks before another is tried. */
const MOST_NARROWINGS = 24

/** What one search has met at one endpoint, and how far the node reaches. */
type Met = MetWidths & { head: bigint }
type Progress = { scan: LogScan; met: Map<RpcEndpoint, Met>; requestsLeft: number }

/**
 * Searches a range in steps as wide as each endpoint takes; the widths are learned and kept. What endpoints have dropped is
 * `missing`. Never rejects for a node's failure.
 */
export async function findLogs({ topics, ...search }: LogSearch): Promise<FoundLogs> {
  const found: EventLog[] = []
  const searched: BlockRange[] = []
  let failure: UpstreamError | undefined
  try {
    for await (const { logs, fromBlock, toBlock } of scanLogs({ ...search, filters: () => [topics] })) {
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
 * As `findLogs`, range by range from the oldest on that is served. Ends early when the requests are used up, and throws
 * `UpstreamError` where no endpoint answers, at the end also for the blocks that all have dropped: what was not yielded has
 * not been searched.
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

/** Where the search goes on that found block `from` dropped; throws anything but that, and that where it cannot go on. */
function keptFrom({ scan, met }: Progress, from: bigint): (error: unknown) => HistoryPruned {
  return (error) => {
    if (!(error instanceof HistoryPruned)) throw error
    // Several endpoints have dropped it: the one that keeps most counts.
    const firsts = [...met.keys()].map(firstServedBlock).filter((block) => block > from)
    const [first = error.firstBlock] = firsts.toSorted((a, b) => Number(a - b))
    const pruned = new HistoryPruned(scan.pool.chain, first)
    if (first > scan.toBlock) throw pruned
    return pruned
  }
}

/** Some gateways serve the logs of a named contract alone. */
const methodOf = ({ addresses }: LogScan) => (addresses ? 'eth_getLogs of an address' : 'eth_getLogs')

/** One range from `from` on, as wide as this endpoint takes. */
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

/** What the endpoint refused before is not asked again for a while. */
function assertServes(endpoint: RpcEndpoint, scan: LogScan, from: bigint): void {
  if (!offers(endpoint, methodOf(scan))) throw new NotOffered(endpoint, methodOf(scan))
  const first = firstServedBlock(endpoint)
  if (from < first) throw new HistoryPruned(endpoint.label, first)
}

/** By all filters at once; one at first where the width is a trial. */
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

/** All of them, or the first failure once none is under way any more. */
async function allAnswers<T>(requests: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(requests)
  return settled.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}

/** Throws why this endpoint does not serve the range, and remembers it where that is so whatever is asked. */
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

/** A node that is behind answers "no logs" for blocks it does not have: that would be taken for searched. */
async function assertReaches(endpoint: RpcEndpoint, to: bigint, met: Met): Promise<void> {
  if (met.head >= to) return
  met.head = await endpoint.request({ method: 'eth_blockNumber', params: [], parse: parseQuantity })
  if (met.head < to)
    throw new UpstreamError('unavailable', `${endpoint.label} does not reach the end of the search yet`)
}
