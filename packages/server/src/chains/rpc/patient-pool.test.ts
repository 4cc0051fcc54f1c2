import { expect, test } from 'vitest'
import { monotonicTimer } from '../../lib/clock.ts'
import { freshCapabilities } from './capabilities.ts'
import { RpcRefusal } from './json-rpc.ts'
import { createPace } from './pace.ts'
import { patientEndpoint } from './patient-pool.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

const requests = [1, 2, 3, 4].map((n) => ({ method: 'get', params: [n], parse: (result: unknown) => result }))

test('batches that an endpoint limits by their calls are halved, and kept at two calls or more', async () => {
  const sizes: number[] = []
  const endpoint: Pick<RpcEndpoint, 'capabilities' | 'pace' | 'batch'> = {
    capabilities: freshCapabilities(),
    pace: createPace(monotonicTimer),
    async batch(batch) {
      sizes.push(batch.length)
      if (batch.length > 1) throw new RpcRefusal(429, 'too many requests')
      return batch.map(({ params, parse }) => parse(params[0]))
    },
  }
  expect(await patientEndpoint(endpoint as RpcEndpoint, () => false).batch(requests)).toEqual([1, 2, 3, 4])
  expect(sizes).toEqual([4, 4, 2, 2, 1, 1, 2, 2, 1, 1])
  expect(endpoint.capabilities.batchSize).toBe(2)
})
