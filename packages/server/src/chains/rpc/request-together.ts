import type { FailOver } from '../../lib/fail-over.ts'
import { AnswerTooLong } from '../../lib/http-client.ts'
import { pagesOf } from '../../lib/pages.ts'
import { createTickBatch, type Gathering } from '../../lib/tick-batch.ts'
import { upstreamOnly } from '../../lib/upstream-error.ts'
import { asItCame, RpcRefusal, type RpcRequest } from './json-rpc.ts'
import { noteRefused, offers } from './offers.ts'
import { isBatchRefused, parsedOrAlone } from './request-each.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

export const GATHERING: Gathering = { quietMs: 8, mostMs: 24 }

type Request = <T>(endpoint: RpcEndpoint, request: RpcRequest<T>) => Promise<T>
export type Attempt = { endpoint: RpcEndpoint; isAlone: boolean; request<T>(request: RpcRequest<T>): Promise<T> }

/**
 * After a failure, sends alone: one caller's answer fails no other. Excludes rate limits: alone means more requests.
 */
export function runTogether<T>(run: FailOver<RpcEndpoint>, work: (attempt: Attempt) => Promise<T>): Promise<T> {
  let isAlone = false
  return run(async (endpoint) => {
    const send: Request = isAlone ? requestAlone : requestTogether
    try {
      return await work({ endpoint, isAlone, request: (request) => send(endpoint, request) })
    } catch (error) {
      isAlone ||= upstreamOnly(error).reason !== 'rate-limited'
      throw error
    }
  })
}

const requestAlone: Request = (endpoint, request) => endpoint.request(request)

type Outcome = { result: unknown } | { error: unknown }

type Gathers = Map<string, (request: RpcRequest<unknown>) => Promise<Outcome>>
const gathering = new WeakMap<RpcEndpoint, Gathers>()

async function requestTogether<T>(endpoint: RpcEndpoint, request: RpcRequest<T>): Promise<T> {
  const outcome = await gatherOf(endpoint, request.method)(request)
  if ('error' in outcome) throw outcome.error
  return parsedOrAlone(endpoint, request, outcome.result)
}

function gatherOf(endpoint: RpcEndpoint, method: string) {
  const gathers: Gathers = gathering.get(endpoint) ?? new Map()
  gathering.set(endpoint, gathers)
  const gather = gathers.get(method) ?? createTickBatch((requests) => sendOnce(endpoint, requests), GATHERING)
  gathers.set(method, gather)
  return gather
}

async function sendOnce(endpoint: RpcEndpoint, requests: readonly RpcRequest<unknown>[]): Promise<Outcome[]> {
  const keys = requests.map(({ params }) => JSON.stringify(params))
  const distinct = new Map(requests.map((request, i) => [keys[i] ?? '', { ...request, parse: asItCame }]))
  const groups = pagesOf([...distinct.values()], sizeOf(endpoint, requests))
  const outcomes = (await Promise.all(groups.map((group) => sendGroup(endpoint, group)))).flat()
  const byKey = new Map([...distinct.keys()].map((key, i) => [key, outcomes[i]]))
  return keys.map((key) => byKey.get(key) as Outcome)
}

/** A batch is as slow as its slowest call. */
const slowBatch = (method: string) => `batches of ${method}`
/** Batches of these short requests are larger. */
const LONGER = 4
const LONG_BATCHES = 'long batches'

function sizeOf(endpoint: RpcEndpoint, [first]: readonly RpcRequest<unknown>[]): number {
  const { batchSize } = endpoint.capabilities
  if (batchSize <= 1 || (first && !offers(endpoint, slowBatch(first.method)))) return 1
  return offers(endpoint, LONG_BATCHES) ? LONGER * batchSize : batchSize
}

function noteBatchRefused(endpoint: RpcEndpoint, size: number): void {
  if (size > endpoint.capabilities.batchSize) noteRefused(endpoint, LONG_BATCHES)
  else endpoint.capabilities.batchSize = 1
}

async function sendGroup(endpoint: RpcEndpoint, group: readonly RpcRequest<unknown>[]): Promise<Outcome[]> {
  const [first] = group
  if (group.length === 1 && first) return [await outcomeOf(endpoint.request(first))]
  try {
    const answers = await endpoint.batch(group)
    return answers.map((answer) => (answer instanceof RpcRefusal ? { error: answer } : { result: answer }))
  } catch (error) {
    const failure = upstreamOnly(error)
    if (first && failure.reason === 'timeout') noteRefused(endpoint, slowBatch(first.method))
    if (!isBatchRefused(failure)) return group.map(() => ({ error: failure }))
    const outcomes = await Promise.all(group.map((request) => outcomeOf(endpoint.request(request))))
    if (!(failure instanceof AnswerTooLong) && outcomes.some(isAnswer)) noteBatchRefused(endpoint, group.length)
    return outcomes
  }
}

const isAnswer = (outcome: Outcome) => 'result' in outcome || outcome.error instanceof RpcRefusal

function outcomeOf(answer: Promise<unknown>): Promise<Outcome> {
  return answer.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  )
}
