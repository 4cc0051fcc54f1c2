import { addressList, booleanQuery, defineEndpoints, integerQuery, pageQuery, text } from '@coffer/contract'
import { z } from 'zod'
import type { Handlers } from '../../src/http/mount.ts'
import type { Samples } from './examination.ts'

const shared = { tag: 'T', summary: 'S', status: 200, bucket: 'default' } as const
const get = { ...shared, method: 'GET' } as const
const change = { ...shared, requires: 'portfolio', errors: 'coded' } as const
const index = integerQuery({ min: 0, max: 1_000 })

/**
 * One endpoint per error spelling, requirement and type of price: proves pipeline and gates before any feature does.
 */
export const sampleEndpoints = defineEndpoints({
  titled: {
    ...get,
    path: '/v1/titled',
    cost: 1,
    bucket: 'portfolio',
    requires: 'portfolio',
    errors: 'titled',
    query: z.object({
      addresses: addressList({ accepts: ['evm'], refuses: ['solana'], max: 10 }),
      waitForSync: booleanQuery(false),
    }),
    response: z.array(z.object({ address: z.string(), waited: z.boolean() })),
  },
  detailed: {
    ...get,
    path: '/v1/chains/:chainKey/detailed',
    cost: 0,
    requires: 'key',
    errors: 'detailed',
    headers: { 'Cache-Control': 'max-age=86400' },
    params: z.object({ chainKey: text({ min: 1, max: 100 }) }),
    query: z.object(pageQuery({ defaultLimit: 20, maxLimit: 100 })),
    response: z.object({ page: z.int(), limit: z.int() }),
  },
  message: { ...get, path: '/v1/message', cost: 1, requires: 'pro', errors: 'message', response: z.null() },
  overview: {
    ...get,
    path: '/v1/overview',
    cost: 1,
    requires: 'pro-or-unauthorized',
    errors: 'titled',
    response: z.array(z.string()),
  },
  plain: {
    ...get,
    path: '/v1/plain/:index',
    cost: 0,
    bucket: 'beacon',
    requires: 'beacon',
    errors: 'plain',
    failures: [502],
    params: z.object({ index }),
    query: z.object({ limit: integerQuery({ min: 1, max: 10 }).default(10) }),
    varyingHeaders: { 'x-data-complete': ['true', 'false'] },
    response: z.object({ index: z.int() }),
  },
  plainDetails: {
    ...get,
    path: '/v1/plain/:index/details',
    cost: 1,
    requires: 'beacon-and-portfolio',
    errors: 'plain',
    params: z.object({ index }),
    response: z.null(),
  },
  create: {
    ...change,
    method: 'POST',
    path: '/v1/things',
    status: 201,
    cost: ({ body }: { body: { names: string[] } }) => body.names.length * 1_200,
    body: z.object({ names: z.array(text({ min: 1, max: 5 })).min(1) }),
    response: z.object({ data: z.array(z.string()) }),
  },
  remove: {
    ...change,
    method: 'DELETE',
    path: '/v1/things/:name',
    status: 204,
    cost: 1,
    params: z.object({ name: text({ min: 1, max: 50 }) }),
    response: z.undefined(),
  },
  say: {
    ...change,
    method: 'POST',
    path: '/v1/say',
    cost: 1,
    errors: 'titled',
    produces: 'text/plain',
    body: z.object({ addresses: z.array(z.string()).length(1) }),
    response: z.string(),
  },
})

export const sampleRequests: Samples<typeof sampleEndpoints> = {
  titled: { query: { addresses: '0x00000000000000000000000000000000000000AA', waitForSync: true } },
  detailed: { params: { chainKey: 'base' }, query: { page: 2 } },
  message: {},
  overview: {},
  plain: { params: { index: 5 }, query: { limit: 10 } },
  plainDetails: { params: { index: 5 } },
  create: { body: { names: ['a', 'b'] } },
  remove: { params: { name: 'a' } },
  say: { body: { addresses: ['x'] } },
}

export const sampleHandlers: Handlers<typeof sampleEndpoints> = {
  titled: {
    fresh: ({ query }) => query.addresses.map((address) => ({ address, waited: query.waitForSync })),
    handle: async ({ query }) => query.addresses.map((address) => ({ address, waited: query.waitForSync })),
  },
  detailed: ({ query }) => query,
  message: () => null,
  overview: () => [],
  plain: ({ params }) => ({ body: params, headers: { 'x-data-complete': 'false' } }),
  plainDetails: () => null,
  create: ({ body }) => ({ data: body.names }),
  remove: () => undefined,
  say: () => 'Address is syncing',
}
