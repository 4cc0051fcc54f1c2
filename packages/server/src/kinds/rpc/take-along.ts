import { upstreamOnly } from '../../lib/upstream-error.ts'
import { RpcRefusal, type RpcRequest } from './json-rpc.ts'
import { noteRefused, offers } from './offers.ts'
import { asItCame, isBatchRefused, parsedOrAlone, requestEach, valueOrThrow } from './request-each.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

/** Left alone for a while after a failure that does not say whether the batch was its reason. */
const ALONG = 'a call and what belongs to it in one batch'

/**
 * Runs work together with a short request that belongs to it. The short one leaves in one batch with the first request of
 * the work, and before it, so that a node answers both at one head. The other requests stay apart, because nodes run the
 * calls of a batch one after another. Where batches are refused or the rate is limited, the short one leaves beside the work.
 */
export async function takeAlong<S, T>(
  endpoint: RpcEndpoint,
  short: RpcRequest<S>,
  work: (carrier: RpcEndpoint) => Promise<T>,
): Promise<[S, T]> {
  // Where the rate is limited each call of a batch counts, and a refused one takes the others with it.
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
        // A refused batch was asked for call by call, so a call has failed. The next one takes the short one along.
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
