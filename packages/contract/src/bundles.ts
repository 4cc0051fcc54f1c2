import { z } from 'zod'
import type { Addresses } from './address.ts'
import { eachOnce, ownData } from './address-book.ts'
import { defineEndpoints } from './endpoint.ts'
import { text } from './text.ts'

const NAME_MAX = 255
const ADDRESSES_MAX = 100

export const bundle = z
  .object({ id: z.string(), name: z.string(), addresses: z.array(z.string()) })
  .meta({ id: 'Bundle' })
export type Bundle = z.infer<typeof bundle>

const one = z.object({ data: bundle })
const shared = { ...ownData, tag: 'Bundles' } as const
const name = text({ min: 1, max: NAME_MAX, trim: true })
/** Any text: an invalid ID is a bundle that does not exist. */
const bundleId = z.string().describe('The id of the bundle.')
const bundlePath = z.object({ bundleId })

const anyAddress = (addresses: Addresses) => addresses.one(addresses.any)

export const bundleEndpoints = (addresses: Addresses) =>
  defineEndpoints({
    listBundles: {
      ...shared,
      method: 'GET',
      path: '/v1/bundles',
      summary: 'List bundles',
      description: 'Returns the bundles of the account, oldest first.',
      status: 200,
      response: z.object({ data: z.array(bundle) }),
    },
    createBundle: {
      ...shared,
      method: 'POST',
      path: '/v1/bundles',
      summary: 'Create a bundle',
      description:
        'Creates a named bundle of saved addresses. Names are unique within the account; no two bundles have the same members.',
      status: 201,
      failures: [409, 422],
      body: z.object({
        name,
        addresses: z
          .array(anyAddress(addresses), { error: 'must be a list of wallet addresses' })
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
      summary: 'Get a bundle',
      description: 'Returns a bundle with its members, in the order in which they were added.',
      status: 200,
      failures: [404],
      params: bundlePath,
      response: one,
    },
    renameBundle: {
      ...shared,
      method: 'PATCH',
      path: '/v1/bundles/:bundleId',
      summary: 'Rename a bundle',
      description: 'Changes the name of a bundle.',
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
      summary: 'Delete a bundle',
      description: 'Removes a bundle. Its addresses stay in the address book.',
      status: 204,
      failures: [404],
      params: bundlePath,
      response: z.void(),
    },
    ...memberEndpoints(addresses),
  })

const memberEndpoints = (addresses: Addresses) =>
  defineEndpoints({
    addBundleAddress: {
      ...shared,
      method: 'POST',
      path: '/v1/bundles/:bundleId/addresses',
      summary: 'Add to a bundle',
      description: 'Adds a saved address to a bundle. Adding a member again changes nothing.',
      status: 200,
      failures: [404, 409, 422],
      params: bundlePath,
      body: z.object({ address: anyAddress(addresses) }),
      response: one,
    },
    removeBundleAddress: {
      ...shared,
      method: 'DELETE',
      path: '/v1/bundles/:bundleId/addresses/:address',
      summary: 'Remove from a bundle',
      description:
        'Removes an address from a bundle. The last address cannot be removed (422); delete the bundle instead.',
      status: 200,
      failures: [404, 409, 422],
      params: z.object({ bundleId, address: anyAddress(addresses).describe('A member of the bundle.') }),
      response: one,
    },
  })
