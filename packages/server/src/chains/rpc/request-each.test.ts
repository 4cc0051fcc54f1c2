import { expect, test } from 'vitest'
import { AnswerTooLong } from '../../lib/http-client.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { freshCapabilities } from './capabilities.ts'
import { requestEach } from './request-each.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

const requests = [1, 2, 3].map((n) => ({ method: 'get', params: [n], parse: (result: unknown) => result }))

/** Answers single calls with their first parameter, and refuses batches. */
function singleOnly(failure: UpstreamError): Pick<RpcEndpoint, 'capabilities' | 'request' | 'batch'> {
  return {
    capabilities: freshCapabilities(),
    request: async ({ params, parse }) => parse(params[0]),
    batch: () => Promise.reject(failure),
  }
}

test.each([
  ['refused', new UpstreamError('invalid', 'no batches'), 1],
  ['answered by too many bytes', new AnswerTooLong(10), freshCapabilities().batchSize],
])(
  'a batch that is %s is sent as single calls; batches stay in use unless they are refused',
  async (_, failure, size) => {
    const endpoint = singleOnly(failure) as RpcEndpoint
    expect(await requestEach(endpoint, requests)).toEqual([1, 2, 3])
    expect(endpoint.capabilities.batchSize).toBe(size)
  },
)
