import { upstreamOnly } from '../../../lib/upstream-error.ts'
import { NotOffered, noteRefused, offers } from '../../rpc/offers.ts'
import { requestEach, valueOrThrow } from '../../rpc/request-each.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import { type EventLog, logRequest, type TopicFilter } from './logs.ts'
import { headRequest } from './scan-logs.ts'

/** An endpoint may serve logs of past blocks and not these: each refusal is remembered apart. */
const RECENT = 'recent eth_getLogs'

/** `filters`: a request each, for an endpoint that takes `mostValues` for one topic. */
type RecentSearch = {
  pool: RpcPool
  fromBlock: bigint
  filters(asked: { mostValues: number }): readonly TopicFilter[]
}

/** All logs from a block to `reached`, and perhaps of newer blocks, by one endpoint. */
export type RecentLogs = { endpoint: RpcEndpoint; logs: EventLog[]; reached: bigint }

/**
 * All logs from a block to the newest one that an endpoint has, in one exchange that asks for its head first. Rejects with
 * `UpstreamError` where no endpoint takes batches now, has not failed at this lately, and is trusted with it.
 */
export async function findRecentLogs({ pool, fromBlock, filters }: RecentSearch): Promise<RecentLogs> {
  return pool.session().run(async (endpoint) => {
    const topics = filters({ mostValues: endpoint.capabilities.topicValues })
    const isOffered = offers(endpoint, 'eth_getLogs') && offers(endpoint, RECENT)
    // The read beside comes first where an endpoint asks for fewer requests.
    if (!isOffered || endpoint.pace.isLimited() || topics.length >= endpoint.capabilities.batchSize)
      throw new NotOffered(endpoint, RECENT)
    let reached = 0n
    const { parse, ...head } = headRequest(endpoint)
    const noteHead = (result: unknown): EventLog[] => {
      reached = parse(result)
      return []
    }
    const requests = topics.map((one) => logRequest(endpoint, {}, one, { fromBlock, toBlock: 'latest' }))
    try {
      const answers = await requestEach(endpoint, [{ ...head, parse: noteHead }, ...requests])
      return { endpoint, logs: answers.flatMap(valueOrThrow), reached }
    } catch (error) {
      if (upstreamOnly(error).reason !== 'rate-limited') distrustRecent(endpoint)
      throw error
    }
  })
}

/** The newest logs of the endpoint are not asked for, or are late, so that none are asked for during a while. */
export function distrustRecent(endpoint: RpcEndpoint): void {
  noteRefused(endpoint, RECENT)
}
