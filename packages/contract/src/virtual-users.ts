import { z } from 'zod'
import { listOf, shorten } from './address.ts'
import { completeness, defineEndpoints } from './endpoint.ts'
import { portfolio } from './portfolio.ts'
import { booleanQuery, includeExplorerUrls, includeFlatAssets, includeImages, waitForSync } from './query.ts'

const ADDRESSES_MAX = 10
/** Shape only: the service decides if the ID exists. */
const VIRTUAL_ADDRESS = /^virtual:[A-Za-z0-9_-]{1,64}$/

/** Compared as written. */
export type VirtualAddress = `virtual:${string}`

export const virtualUserType = z.enum(['BALANCE', 'CEX'])
export type VirtualUserType = z.infer<typeof virtualUserType>

export const virtualUser = z
  .object({
    address: z.string().meta({ description: '`virtual:<id>`' }),
    type: virtualUserType,
    label: z.string(),
  })
  .meta({ id: 'VirtualUser' })

const virtualAddresses = listOf<VirtualAddress>({
  of: 'virtual user addresses',
  accept: (part) =>
    VIRTUAL_ADDRESS.test(part)
      ? { address: part }
      : { refusal: `not a virtual user address, which is virtual:<id>: ${shorten(part)}` },
  max: ADDRESSES_MAX,
  pattern: VIRTUAL_ADDRESS,
})

const shared = {
  method: 'GET',
  tag: 'Virtual users',
  status: 200,
  bucket: 'portfolio',
  requires: 'pro',
  errors: 'titled',
} as const

export const virtualUserEndpoints = defineEndpoints({
  listVirtualUsers: {
    ...shared,
    path: '/v1/virtual-users',
    summary: 'List virtual users',
    description: 'Returns the virtual users of the account, oldest first: exchange accounts and manual balances.',
    cost: 1,
    response: z.array(virtualUser),
  },
  getVirtualUserPortfolio: {
    ...shared,
    path: '/v1/virtual-users/portfolio',
    summary: 'Get virtual portfolios',
    description:
      'Returns the holdings of virtual users, separately or, with `aggregated=true`, merged into one. `incomplete` names a virtual user that is not linked to an exchange.',
    cost: ({ query }: { query: { addresses: readonly VirtualAddress[] } }) => query.addresses.length,
    failures: [502],
    query: z.object({
      addresses: virtualAddresses.describe('Comma-separated `virtual:<id>` addresses from `GET /v1/virtual-users`.'),
      aggregated: booleanQuery(false).describe('Returns one object with the merged holdings of all virtual users.'),
      waitForSync,
      includeImages,
      includeExplorerUrls,
      includeFlatAssets,
    }),
    varyingHeaders: completeness,
    response: z.array(portfolio),
  },
})
