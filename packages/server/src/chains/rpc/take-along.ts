import { upstreamOnly } from '../../lib/upstream-error.ts'
import { RpcRefusal, type RpcRequest } from './json-rpc.ts'
import { noteRefused, offers } from './offers.ts'
import { asItCame, isBatchRefused, parsedOrAlone, requestEach, valueOrThrow } from './request-each.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

const ALONG = 'a call and what belongs to it in one batch'

/**
 * `short` leaves first, so that a node answers both at one head. Other requests stay apart: nodes run the calls of a
 * batch one after another.
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
