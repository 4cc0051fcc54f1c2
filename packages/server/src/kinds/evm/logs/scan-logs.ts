import { type BlockRange, mergeRanges, missingRanges } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Capabilities } from '../../rpc/capabilities.ts'
import { isPruned, type RpcRequest } from '../../rpc/json-rpc.ts'
import { NotOffered, noteIfRefused, offers } from '../../rpc/offers.ts'
import { requestEach, valueOrThrow } from '../../rpc/request-each.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import { parseQuantity } from '../rpc-values.ts'
import { fewerValues, refusesLogs } from './log-limits.ts'
import { isTrial, learnRefused, learnTaken, type MetWidths, nextWidth } from './log-widths.ts'
import { type EventLog, inOrder, logRequest, neutralSearch, type TopicFilter } from './logs.ts'
import { findFirstServed, firstServedBlock, HistoryPruned } from './served-logs.ts'

/**
 * The logs found and the ranges searched, in so many steps. `missing` ranges were not searched, regardless of `logs`: no
 * node answered for them, or the request limit was reached. `failure` is set if a node was the reason.
 */
export type FoundLogs = {
  logs: EventLog[]
  covered: BlockRange[]
  missing: BlockRange[]
  steps: number
  failure?: UpstreamError
}

/**
 * The filters for an endpoint, a request each for every range. `mostValues`: that it takes for one topic, as far as is
 * known. `askHead` resolves to the newest block that it has.
 */
export type FiltersFor = (asked: {
  endpoint: RpcEndpoint
  mostValues: number
  askHead(): Promise<bigint>
}) => Promise<readonly TopicFilter[]> | readonly TopicFilter[]

/** A search by several filters. It applies all of them to a range before it moves to the next range. */
export type LogScan = BlockRange & {
  pool: RpcPool
  filters: readonly TopicFilter[] | FiltersFor
  /** Contracts whose logs are searched; all when absent. */
  addresses?: readonly EvmAddress[]
  /** Limit of requests; the rest is left for a later search. */
  maxRequests?: number
}

/** A range that was searched by all filters, and its logs in order. */
export type LogStep = BlockRange & { logs: EventLog[] }

const MAX_REQUESTS = 1_000
/** How often a range is narrowed at one endpoint before another is tried. */
const MOST_NARROWINGS = 24

type LogCapabilities = Pick<Capabilities, 'logRange' | 'logLimit' | 'topicValues'>

/**
 * What one search has learned about an endpoint. `head`: the newest block that it has. `values`: that it was last asked
 * for in one topic, and is to be asked for at most (`fewer`) after it refused more. `before`: what was known before the
 * search.
 */
type Met = MetWidths & { head: bigint; values: number; fewer: number | undefined; before: LogCapabilities }
type Progress = { scan: LogScan; met: Map<RpcEndpoint, Met>; requestsLeft: number }

/**
 * Searches a range in steps as wide as each endpoint accepts; learns and stores the widths. Pruned ranges are
 * `missing`. Never rejects because of a node failure.
 */
export async function findLogs(search: LogScan): Promise<FoundLogs> {
  const found: EventLog[] = []
  const searched: BlockRange[] = []
  let failure: UpstreamError | undefined
  try {
    for await (const { logs, fromBlock, toBlock } of scanLogs(search)) {
      for (const log of logs) found.push(log)
      searched.push({ fromBlock, toBlock })
    }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    failure = error
  }
  const covered = mergeRanges(searched)
  const missing = missingRanges(search, covered)
  return { logs: found, covered, missing, steps: searched.length, ...(failure && { failure }) }
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
    try {
      const answers = await askFilters(endpoint, progress, met, range)
      if (asked === width) learnTaken(endpoint, met, width, answers)
      learnValues(endpoint, met)
      return { ...range, logs: inOrder(answers.flat()) }
    } catch (error) {
      // What a node refuses is about logs once it answers with its head.
      await assertReaches(endpoint, range.toBlock, met)
      const less = narrowings < MOST_NARROWINGS ? lessOf(endpoint, met, error, { width, asked }) : undefined
      width = less ?? (await giveUp(endpoint, progress, met, range, error))
    }
  }
}

/**
 * How many blocks to request after `asked` were refused, or as many as before with fewer values for a topic; undefined where
 * neither helps.
 */
function lessOf(
  endpoint: RpcEndpoint,
  met: Met,
  error: unknown,
  { width, asked }: { width: bigint; asked: bigint },
): bigint | undefined {
  const isDivided = met.fewer === undefined || met.values <= met.fewer
  const fewer = isDivided ? fewerValues(error, met.values, asked) : undefined
  if (fewer === undefined) return learnRefused(endpoint, met, error, asked)
  met.fewer = fewer
  return width
}

/** Takes note of fewer values that were taken. What was taken for a limit of blocks may have been theirs. */
function learnValues({ capabilities }: RpcEndpoint, { fewer }: Met): void {
  if (fewer === undefined || fewer >= capabilities.topicValues) return
  capabilities.topicValues = fewer
  capabilities.logLimit = null
}

const lesser = (a: bigint, b: bigint) => (a < b ? a : b)

function metAt(endpoint: RpcEndpoint, { met }: Progress): Met {
  const { logRange, logLimit, topicValues } = endpoint.capabilities
  const before = { logRange, logLimit, topicValues }
  const fresh = { head: -1n, sparse: false, refused: undefined, values: 1, fewer: undefined, before }
  const known = met.get(endpoint) ?? fresh
  met.set(endpoint, known)
  return known
}

/** Throws without a request while an earlier refusal of the endpoint is remembered. */
function assertServes(endpoint: RpcEndpoint, scan: LogScan, from: bigint): void {
  if (!offers(endpoint, methodOf(scan))) throw new NotOffered(endpoint, methodOf(scan))
  const first = firstServedBlock(endpoint)
  if (from < first) throw new HistoryPruned(endpoint.label, first)
}

async function filtersOf(endpoint: RpcEndpoint, { filters }: LogScan, met: Met): Promise<readonly TopicFilter[]> {
  if (typeof filters !== 'function') return filters
  const mostValues = met.fewer ?? endpoint.capabilities.topicValues
  return filters({ endpoint, mostValues, askHead: () => headOf(endpoint, met) })
}

/** The values for the topic that has most of them; events, the first topic, are not divided. */
const valuesIn = ([, ...topics]: TopicFilter): number =>
  Math.max(1, ...topics.map((values) => (Array.isArray(values) ? values.length : 1)))

/** Requests all filters together; a trial, of a width or of fewer values, starts with one of them. */
async function askFilters(
  endpoint: RpcEndpoint,
  progress: Progress,
  met: Met,
  range: BlockRange,
): Promise<EventLog[][]> {
  const { scan } = progress
  const [first, ...others] = await filtersOf(endpoint, scan, met)
  if (!first) return []
  met.values = Math.max(...[first, ...others].map(valuesIn))
  const isFewer = met.fewer !== undefined && met.fewer < endpoint.capabilities.topicValues
  const ask = (filters: readonly TopicFilter[]) => {
    progress.requestsLeft -= filters.length
    const requests = filters.map((topics) => logRequest(endpoint, scan, topics, range))
    return askReached(endpoint, met, range.toBlock, requests)
  }
  if (!isFewer && !isTrial(endpoint, range.toBlock - range.fromBlock + 1n)) return await ask([first, ...others])
  return [...(await ask([first])), ...(await ask(others))]
}

/**
 * Answers of an endpoint that has block `to`. Its head is asked for in the same exchange, before the logs, so that one
 * node behind a gateway answers both; in an exchange before where they do not fit into one batch.
 */
async function askReached(
  endpoint: RpcEndpoint,
  met: Met,
  to: bigint,
  requests: readonly RpcRequest<EventLog[]>[],
): Promise<EventLog[][]> {
  const isOneBatch = met.head < to && requests.length < endpoint.capabilities.batchSize
  if (!isOneBatch) {
    await assertReaches(endpoint, to, met)
    return (await requestEach(endpoint, requests)).map(valueOrThrow)
  }
  const noteHead = (head: bigint): EventLog[] => {
    met.head = head
    return []
  }
  const { parse, ...ofHead } = headRequest(endpoint)
  const asking = { ...ofHead, parse: (result: unknown) => noteHead(parse(result)) }
  const [, ...answers] = (await requestEach(endpoint, [asking, ...requests])).map(valueOrThrow)
  if (met.head < to) throw behind(endpoint)
  return answers
}

const headRequest = ({ limits }: RpcEndpoint): RpcRequest<bigint> => ({
  method: 'eth_blockNumber',
  params: [],
  parse: parseQuantity,
  timeoutMs: limits.logTimeoutMs,
})

async function headOf(endpoint: RpcEndpoint, met: Met): Promise<bigint> {
  if (met.head < 0n) met.head = await endpoint.request(headRequest(endpoint))
  return met.head
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
    await noteLogsRefused(endpoint, scan, met, fromBlock)
    throw new NotOffered(endpoint, methodOf(scan), error)
  }
  if (!isPruned(error)) throw error
  const newest = await headOf(endpoint, met)
  const [topics = []] = await filtersOf(endpoint, scan, met)
  const asks = (block: bigint) =>
    endpoint.request(logRequest(endpoint, scan, topics, { fromBlock: block, toBlock: block }))
  const first = await findFirstServed(endpoint, { refused: fromBlock, newest }, asks)
  throw new HistoryPruned(endpoint.label, first)
}

/**
 * Remembers that the endpoint serves no logs if it refuses a search for nothing as well, at this block and at its newest
 * one. Otherwise the refusal concerns the wallets or the block, and so do the limits that the search found.
 */
async function noteLogsRefused(endpoint: RpcEndpoint, scan: LogScan, met: Met, block: bigint): Promise<void> {
  const neutral = neutralSearch(await filtersOf(endpoint, scan, met), scan)
  const askAt = async (at: bigint) => {
    for (const topics of neutral.filters) {
      await endpoint.request(logRequest(endpoint, neutral, topics, { fromBlock: at, toBlock: at }))
    }
  }
  const ask = () => askAt(block).catch(async () => askAt(await headOf(endpoint, met)))
  await noteIfRefused(endpoint, methodOf(scan), refusesLogs, ask)
  if (offers(endpoint, methodOf(scan))) Object.assign(endpoint.capabilities, met.before)
}

/** A node that is behind answers "no logs" for blocks that it lacks, and they would count as searched. */
async function assertReaches(endpoint: RpcEndpoint, to: bigint, met: Met): Promise<void> {
  if (met.head < to) met.head = await endpoint.request(headRequest(endpoint))
  if (met.head < to) throw behind(endpoint)
}

const behind = ({ label }: RpcEndpoint) =>
  new UpstreamError('unavailable', `${label} does not reach the end of the search yet`)
