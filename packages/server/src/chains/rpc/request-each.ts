import { createGate } from '../../lib/concurrency.ts'
import { AnswerTooLong } from '../../lib/http-client.ts'
import { pagesOf } from '../../lib/pages.ts'
import { attempt, UpstreamError, upstreamOnly } from '../../lib/upstream-error.ts'
import { asItCame, HttpRefusal, RpcRefusal, type RpcRequest, refusalOrThrow } from './json-rpc.ts'
import { noteRefused, offers } from './offers.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

const AT_ONCE = 6

export async function requestEach<T>(
  endpoint: RpcEndpoint,
  requests: readonly RpcRequest<T>[],
  gate = createGate(AT_ONCE),
): Promise<(T | RpcRefusal)[]> {
  const size = Math.max(1, endpoint.capabilities.batchSize)
  const groups = pagesOf(requests, size)
  const answers = await Promise.all(groups.map((group) => gate(() => requestGroup(endpoint, group))))
  return answers.flat()
}

export function valueOrThrow<T>(answer: T | RpcRefusal): T {
  if (answer instanceof RpcRefusal) throw answer
  return answer
}

/** An invalid answer, asked for alone, counts against the endpoint. */
export async function parsedOrAlone<T>(endpoint: RpcEndpoint, request: RpcRequest<T>, result: unknown): Promise<T> {
  const answer = attempt(() => request.parse(result))
  return answer instanceof UpstreamError ? endpoint.request(request) : answer
}

async function requestGroup<T>(endpoint: RpcEndpoint, group: readonly RpcRequest<T>[]): Promise<(T | RpcRefusal)[]> {
  if (group.length === 1) return oneByOne(endpoint, group)
  try {
    return await endpoint.batch(group)
  } catch (error) {
    if (!isBatchRefused(error)) throw error
    const answers = await oneByOne(endpoint, group)
    // The gateway may have refused the batch because of one call.
    const isRefused = (answer: T | RpcRefusal) => answer instanceof RpcRefusal && answer.kind !== 'reverted'
    if (!(error instanceof AnswerTooLong) && !answers.some(isRefused)) endpoint.capabilities.batchSize = 1
    return answers
  }
}

async function oneByOne<T>(endpoint: RpcEndpoint, group: readonly RpcRequest<T>[]): Promise<(T | RpcRefusal)[]> {
  const answers: (T | RpcRefusal)[] = []
  for (const request of group) answers.push(await endpoint.request(request).catch(refusalOrThrow))
  return answers
}

const REFUSED_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 405, 413, 415, 422])

export function isBatchRefused(error: unknown): boolean {
  if (error instanceof HttpRefusal) return error.status === 200 || REFUSED_STATUSES.has(error.status)
  if (error instanceof RpcRefusal) return error.kind !== 'rate-limited'
  return error instanceof UpstreamError && error.reason === 'invalid'
}

const ALONG = 'a call and what belongs to it in one batch'

/**
 * `short` leaves first, so that a node answers both at one head. Others stay apart: nodes run a batch's calls in
 * sequence.
 */
export async function takeAlong<S, T>(
  endpoint: RpcEndpoint,
  short: RpcRequest<S>,
  work: (carrier: RpcEndpoint) => Promise<T>,
): Promise<[S, T]> {
  // Each call of a batch counts in a rate limit.
  if (endpoint.capabilities.batchSize <= 1 || !offers(endpoint, ALONG) || endpoint.pace.isLimited()) {
    return Promise.all([endpoint.request(short), work(endpoint)])
  }
  let hasLeft = false
  let came: { result: unknown } | undefined
  const result = await work({
    ...endpoint,
    async request(request) {
      if (hasLeft) return endpoint.request(request)
      hasLeft = true
      const both = [short, request].map((one) => ({ ...one, parse: asItCame }))
      const [first, own] = await requestEach(endpoint, both).catch((error: unknown) => {
        hasLeft = !isBatchRefused(error)
        if (hasLeft && upstreamOnly(error).reason !== 'rate-limited') noteRefused(endpoint, ALONG)
        throw error
      })
      if (!(first instanceof RpcRefusal)) came = { result: first }
      return parsedOrAlone(endpoint, request, valueOrThrow(own))
    },
  })
  return [await (came ? parsedOrAlone(endpoint, short, came.result) : endpoint.request(short)), result]
}
