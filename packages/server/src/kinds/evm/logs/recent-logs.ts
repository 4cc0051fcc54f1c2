import { upstreamOnly } from '../../../lib/upstream-error.ts'
import { NotOffered, noteIfRefused, noteRefused, offers } from '../../rpc/offers.ts'
import { requestEach, valueOrThrow } from '../../rpc/request-each.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import { hashRequest } from '../block-presence.ts'
import type { Hex } from '../rpc-values.ts'
import { type EventLog, logRequest, neutralSearch, type TopicFilter } from './logs.ts'
import { headRequest } from './scan-logs.ts'

/** An endpoint may serve logs of past blocks and not these: each refusal is remembered apart. */
const RECENT = 'recent eth_getLogs'

/** `filters`: a request each, for an endpoint that takes `mostValues` for one topic. `blocks`: whose hashes are asked as well. */
export type RecentScan = {
  pool: RpcPool
  fromBlock: bigint
  blocks: readonly bigint[]
  filters(asked: { mostValues: number }): readonly TopicFilter[]
}

/** All logs from a block to `reached`, and perhaps of newer blocks, by one endpoint. `hashAt`: null where it has no such block. */
export type RecentLogs = {
  endpoint: RpcEndpoint
  logs: EventLog[]
  reached: bigint
  hashAt: ReadonlyMap<bigint, Hex | null>
}

/**
 * All logs from a block to the newest one that an endpoint has, in one exchange that asks for its head first. Rejects with
 * `UpstreamError` where no endpoint takes batches now, has not failed at this lately, and is trusted with it.
 */
export async function findRecentLogs({ pool, fromBlock, blocks, filters }: RecentScan): Promise<RecentLogs> {
  return pool.session().run(async (endpoint) => {
    const topics = filters({ mostValues: endpoint.capabilities.topicValues })
    const logs = topics.map((one) => logRequest(endpoint, {}, one, { fromBlock, toBlock: 'latest' }))
    const requests = [headRequest(endpoint), ...blocks.map(hashRequest), ...logs]
    if (!isOffered(endpoint) || requests.length > endpoint.capabilities.batchSize)
      throw new NotOffered(endpoint, RECENT)
    try {
      const [reached, ...others] = (await requestEach<unknown>(endpoint, requests)).map(valueOrThrow)
      return {
        endpoint,
        reached: reached as bigint,
        hashAt: new Map(blocks.map((block, i) => [block, others[i] as Hex | null])),
        logs: (others.slice(blocks.length) as EventLog[][]).flat(),
      }
    } catch (error) {
      if (upstreamOnly(error).reason !== 'rate-limited') await noteFailed(endpoint, topics, fromBlock)
      throw error
    }
  })
}

/** The wallets may be the reason of a failure: a search for nothing decides. */
async function noteFailed(endpoint: RpcEndpoint, filters: readonly TopicFilter[], fromBlock: bigint): Promise<void> {
  const [neutral = []] = neutralSearch(filters, {}).filters
  const request = logRequest(endpoint, {}, neutral, { fromBlock, toBlock: 'latest' })
  await noteIfRefused(
    endpoint,
    RECENT,
    (error) => upstreamOnly(error).reason !== 'rate-limited',
    () => requestEach<unknown>(endpoint, [headRequest(endpoint), request]).then((answers) => answers.map(valueOrThrow)),
  )
}

/** The read beside comes first where an endpoint asks for fewer requests. */
function isOffered(endpoint: RpcEndpoint): boolean {
  return offers(endpoint, 'eth_getLogs') && offers(endpoint, RECENT) && !endpoint.pace.isLimited()
}

/** The newest logs of the endpoint are not to be had, or are late: they are not asked for during a while. */
export function distrustRecent(endpoint: RpcEndpoint): void {
  noteRefused(endpoint, RECENT)
}
