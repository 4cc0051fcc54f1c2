import { z } from 'zod'
import { anyAddress, eachOnce, ownData } from './address-book.ts'
import { defineEndpoints } from './endpoint.ts'
import { text } from './text.ts'

const NAME_MAX = 255
const ADDRESSES_MAX = 100

export const bundle = z.object({ id: z.string(), name: z.string(), addresses: z.array(z.string()) })
export type Bundle = z.infer<typeof bundle>

const one = z.object({ data: bundle })
const shared = { ...ownData, tag: 'Bundles' } as const
const name = text({ min: 1, max: NAME_MAX, trim: true })
/** Whatever an id looks like: one that is none is a bundle that is not there. */
const bundlePath = z.object({ bundleId: z.string() })

export const bundleEndpoints = defineEndpoints({
  listBundles: {
    ...shared,
    method: 'GET',
    path: '/v1/bundles',
    summary: 'The bundles of the account, oldest first',
    status: 200,
    response: z.object({ data: z.array(bundle) }),
  },
  createBundle: {
    ...shared,
    method: 'POST',
    path: '/v1/bundles',
    summary: 'Makes a named bundle of saved addresses',
    status: 201,
    failures: [409, 422],
    body: z.object({
      name,
      addresses: z
        .array(anyAddress, { error: 'must be a list of wallet addresses' })
        .min(1, 'must name at least one address')
        .max(ADDRESSES_MAX, `must name at most ${ADDRESSES_MAX} addresses`)
        .superRefine(eachOnce((address: string) => address)),
    }),
    response: one,
  },
  getBundle: {
    ...shared,
    method: 'GET',
    path: '/v1/bundles/:bundleId',
    summary: 'One bundle',
    status: 200,
    failures: [404],
    params: bundlePath,
    response: one,
  },
  renameBundle: {
    ...shared,
    method: 'PATCH',
    path: '/v1/bundles/:bundleId',
    summary: 'Gives a bundle another name',
    status: 200,
    failures: [404, 409],
    params: bundlePath,
    body: z.object({ name }),
    response: one,
  },
  removeBundle: {
    ...shared,
    method: 'DELETE',
    path: '/v1/bundles/:bundleId',
    summary: 'Removes a bundle; its addresses stay saved',
    status: 204,
    failures: [404],
    params: bundlePath,
    response: z.void(),
  },
  addBundleAddress: {
    ...shared,
    method: 'POST',
    path: '/v1/bundles/:bundleId/addresses',
    summary: 'Adds a saved address to a bundle; one that is in it already changes nothing',
    status: 200,
    failures: [404, 409, 422],
    params: bundlePath,
    body: z.object({ address: anyAddress }),
    response: one,
  },
  removeBundleAddress: {
    ...shared,
    method: 'DELETE',
    path: '/v1/bundles/:bundleId/addresses/:address',
    summary: 'Takes an address out of a bundle, unless it is the last',
    status: 200,
    failures: [404, 409, 422],
    params: z.object({ bundleId: z.string(), address: anyAddress }),
    response: one,
  },
})
