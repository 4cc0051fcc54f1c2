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
import {
  type EncounteredWidths,
  fewerValues,
  findFirstServed,
  firstServedBlock,
  HistoryPruned,
  isTrial,
  learnRefused,
  learnTaken,
  nextWidth,
  refusesLogs,
} from './log-limits.ts'
import { type EventLog, inOrder, logRequest, neutralSearch, type TopicFilter } from './logs.ts'

/** `missing`: no node answered, or the request limit was reached. `failure`: set if a node was the reason. */
export type FoundLogs = {
  logs: EventLog[]
  covered: BlockRange[]
  missing: BlockRange[]
  steps: number
  failure?: UpstreamError
}

/** `mostValues`: values per topic that the endpoint takes. */
export type FiltersFor = (asked: {
  endpoint: RpcEndpoint
  mostValues: number
  askHead(): Promise<bigint>
}) => Promise<readonly TopicFilter[]> | readonly TopicFilter[]

export type LogScan = BlockRange & {
  pool: RpcPool
  filters: readonly TopicFilter[] | FiltersFor
  addresses?: readonly EvmAddress[]
  maxRequests?: number
}

export type LogStep = BlockRange & { logs: EventLog[] }

const MAX_REQUESTS = 1_000
const MOST_NARROWINGS = 24

/** `values`: last asked in one topic; `fewer`: bound after a refusal. */
type Encountered = EncounteredWidths & {
  head: bigint
  values: number
  fewer: number | undefined
  before: Partial<Capabilities>
}
type Progress = { scan: LogScan; encountered: Map<RpcEndpoint, Encountered>; requestsLeft: number }
type At = { endpoint: RpcEndpoint; scan: LogScan; encountered: Encountered; progress: Progress }

/** Pruned ranges are `missing`. Never rejects because of a node failure. */
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

/** Throws `UpstreamError` if no endpoint answers, or all have pruned some blocks. */
export async function* scanLogs(scan: LogScan): AsyncGenerator<LogStep, void, undefined> {
  const session = scan.pool.session()
  const progress: Progress = { scan, encountered: new Map(), requestsLeft: scan.maxRequests ?? MAX_REQUESTS }
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

function keptFrom({ scan, encountered }: Progress, from: bigint): (error: unknown) => HistoryPruned {
  return (error) => {
    if (!(error instanceof HistoryPruned)) throw error
    // Continues at the endpoint with the most history.
    const firsts = [...encountered.keys()].map(firstServedBlock).filter((block) => block > from)
    const [first = error.firstBlock] = firsts.toSorted((a, b) => Number(a - b))
    const pruned = new HistoryPruned(scan.pool.chain, first)
    if (first > scan.toBlock) throw pruned
    return pruned
  }
}

/** Some gateways serve logs only by contract address. */
const methodOf = ({ addresses }: LogScan) => (addresses ? 'eth_getLogs of an address' : 'eth_getLogs')

async function searchStep(endpoint: RpcEndpoint, progress: Progress, from: bigint): Promise<LogStep> {
  const { scan } = progress
  const encountered = encounteredAt(endpoint, progress)
  const at = { endpoint, scan, encountered, progress }
  assertServes(endpoint, scan, from)
  let width = nextWidth(endpoint, encountered) ?? scan.toBlock - from + 1n
  for (let narrowings = 0; ; narrowings += 1) {
    const range = { fromBlock: from, toBlock: lesser(from + width - 1n, scan.toBlock) }
    const asked = range.toBlock - from + 1n
    try {
      const answers = await askFilters(at, range)
      if (asked === width) learnTaken(endpoint, encountered, width, answers)
      learnValues(endpoint, encountered)
      return { ...range, logs: inOrder(answers.flat()) }
    } catch (error) {
      // Refusals concern logs only if the node answers with its head.
      await assertReaches(at, range.toBlock)
      const less = narrowings < MOST_NARROWINGS ? lessOf(at, error, { width, asked }) : undefined
      width = less ?? (await giveUp(at, range, error))
    }
  }
}

function lessOf(
  { endpoint, encountered }: At,
  error: unknown,
  { width, asked }: { width: bigint; asked: bigint },
): bigint | undefined {
  const isDivided = encountered.fewer === undefined || encountered.values <= encountered.fewer
  const fewer = isDivided ? fewerValues(error, encountered.values, asked) : undefined
  if (fewer === undefined) return learnRefused(endpoint, encountered, error, asked)
  encountered.fewer = fewer
  return width
}

/** The learned block limit may have been caused by too many values. */
function learnValues({ capabilities }: RpcEndpoint, { fewer }: Encountered): void {
  if (fewer === undefined || fewer >= capabilities.topicValues) return
  capabilities.topicValues = fewer
  capabilities.logLimit = null
}

const lesser = (a: bigint, b: bigint) => (a < b ? a : b)

function encounteredAt(endpoint: RpcEndpoint, { encountered }: Progress): Encountered {
  const { logRange, logLimit, topicValues } = endpoint.capabilities
  const before = { logRange, logLimit, topicValues }
  const fresh = { head: -1n, sparse: false, refused: undefined, values: 1, fewer: undefined, before }
  const known = encountered.get(endpoint) ?? fresh
  encountered.set(endpoint, known)
  return known
}

function assertServes(endpoint: RpcEndpoint, scan: LogScan, from: bigint): void {
  if (!offers(endpoint, methodOf(scan))) throw new NotOffered(endpoint, methodOf(scan))
  const first = firstServedBlock(endpoint)
  if (from < first) throw new HistoryPruned(endpoint.label, first)
}

async function filtersOf(at: At): Promise<readonly TopicFilter[]> {
  const { endpoint, encountered } = at
  const { filters } = at.scan
  if (typeof filters !== 'function') return filters
  const mostValues = encountered.fewer ?? endpoint.capabilities.topicValues
  return filters({ endpoint, mostValues, askHead: () => headOf(at) })
}

const valuesIn = ([, ...topics]: TopicFilter): number =>
  Math.max(1, ...topics.map((values) => (Array.isArray(values) ? values.length : 1)))

/** Trials of a width or of fewer values start with one filter. */
async function askFilters(at: At, range: BlockRange) {
  const { endpoint, scan, encountered, progress } = at
  const [first, ...others] = await filtersOf(at)
  if (!first) return []
  encountered.values = Math.max(...[first, ...others].map(valuesIn))
  const isFewer = encountered.fewer !== undefined && encountered.fewer < endpoint.capabilities.topicValues
  const ask = (filters: readonly TopicFilter[]) => {
    progress.requestsLeft -= filters.length
    const requests = filters.map((topics) => logRequest(endpoint, scan, topics, range))
    return askReached(at, range.toBlock, requests)
  }
  if (!isFewer && !isTrial(endpoint, range.toBlock - range.fromBlock + 1n)) return await ask([first, ...others])
  return [...(await ask([first])), ...(await ask(others))]
}

/** Asks for the head in one batch: one node of a gateway answers both. */
async function askReached(at: At, to: bigint, requests: readonly RpcRequest<EventLog[]>[]): Promise<EventLog[][]> {
  const { endpoint, encountered } = at
  const isOneBatch = encountered.head < to && requests.length < endpoint.capabilities.batchSize
  if (!isOneBatch) {
    await assertReaches(at, to)
    return (await requestEach(endpoint, requests)).map(valueOrThrow)
  }
  const noteHead = (head: bigint): EventLog[] => {
    encountered.head = head
    return []
  }
  const { parse, ...ofHead } = headRequest(endpoint)
  const asking = { ...ofHead, parse: (result: unknown) => noteHead(parse(result)) }
  const [, ...answers] = (await requestEach(endpoint, [asking, ...requests])).map(valueOrThrow)
  if (encountered.head < to) throw behind(endpoint)
  return answers
}

const headRequest = ({ limits }: RpcEndpoint): RpcRequest<bigint> => ({
  method: 'eth_blockNumber',
  params: [],
  parse: parseQuantity,
  timeoutMs: limits.logTimeoutMs,
})

/** Asks again only if the known head is lower than `least`. */
async function headOf({ endpoint, encountered }: At, least = 0n): Promise<bigint> {
  if (encountered.head < least) encountered.head = await endpoint.request(headRequest(endpoint))
  return encountered.head
}

async function giveUp(at: At, { fromBlock, toBlock }: BlockRange, error: unknown): Promise<never> {
  const { endpoint, scan } = at
  if (fromBlock === toBlock && refusesLogs(error)) {
    await noteLogsRefused(at, fromBlock)
    throw new NotOffered(endpoint, methodOf(scan), error)
  }
  if (!isPruned(error)) throw error
  const newest = await headOf(at)
  const [topics = []] = await filtersOf(at)
  const asks = (block: bigint) =>
    endpoint.request(logRequest(endpoint, scan, topics, { fromBlock: block, toBlock: block }))
  const first = await findFirstServed(endpoint, { refused: fromBlock, newest }, asks)
  throw new HistoryPruned(endpoint.label, first)
}

/**
 * Remembers a refusal only if a neutral search is refused too. Otherwise the wallets or block are the reason: undoes
 * learned limits.
 */
async function noteLogsRefused(at: At, block: bigint): Promise<void> {
  const { endpoint, scan, encountered } = at
  const neutral = neutralSearch(await filtersOf(at), scan)
  const askAt = async (number: bigint) => {
    for (const topics of neutral.filters) {
      await endpoint.request(logRequest(endpoint, neutral, topics, { fromBlock: number, toBlock: number }))
    }
  }
  const ask = () => askAt(block).catch(async () => askAt(await headOf(at)))
  await noteIfRefused(endpoint, methodOf(scan), refusesLogs, ask)
  if (offers(endpoint, methodOf(scan))) Object.assign(endpoint.capabilities, encountered.before)
}

/** A lagging node answers "no logs" for blocks that it lacks, which would count as searched. */
async function assertReaches(at: At, to: bigint): Promise<void> {
  if ((await headOf(at, to)) < to) throw behind(at.endpoint)
}

const behind = ({ label }: RpcEndpoint) =>
  new UpstreamError('unavailable', `${label} does not reach the end of the search yet`)
