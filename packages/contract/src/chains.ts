import { z } from 'zod'
import { defineEndpoints } from './endpoint.ts'
import { pageQuery, pagination } from './query.ts'

export const chain = z
  .object({
    chainId: z.string(),
    key: z.string(),
    name: z.string(),
    symbol: z.string(),
    color: z.string(),
    imgSmall: z.string(),
    imgLarge: z.string(),
    explorerTokenUrl: z.string(),
    explorerTransactionUrl: z.string(),
    explorerAddressUrl: z.string(),
    altExplorerAddressUrl: z.string().nullable(),
    altExplorerTokenUrl: z.string().nullable(),
    altExplorerTransactionUrl: z.string().nullable(),
    isPortfolioSupported: z.boolean(),
    isTransactionsSupported: z.boolean(),
  })
  .meta({ id: 'Chain' })

export type ChainItem = z.input<typeof chain>

export const protocol = z
  .object({
    uuid: z.uuid(),
    key: z.string(),
    name: z.string(),
    imgSmall: z.string(),
    imgLarge: z.string(),
    isUserProtocol: z.boolean(),
  })
  .meta({ id: 'Protocol' })

export type ProtocolItem = z.input<typeof protocol>

export const chainEndpoints = defineEndpoints({
  listChains: {
    method: 'GET',
    path: '/v1/chains',
    summary: 'List chains',
    description:
      'Returns all known chains, sorted by name. `isPortfolioSupported` marks those that this service reads. The list may be cached for 24 hours.',
    tag: 'Chains',
    status: 200,
    cost: 0,
    bucket: 'default',
    requires: 'key',
    errors: 'titled',
    headers: { 'cache-control': 'max-age=86400' },
    response: z.array(chain),
  },
  listProtocols: {
    method: 'GET',
    path: '/v1/chains/:chainKey/protocols',
    summary: 'List protocols',
    description:
      'Returns the protocols of a chain, sorted by name. Protocols of the operator come first on page 1, in addition to its `limit`.',
    tag: 'Chains',
    status: 200,
    cost: 0,
    bucket: 'default',
    requires: 'key',
    errors: 'detailed',
    failures: [404],
    params: z.object({ chainKey: z.string().describe('Key, alias or chain id of a chain.') }),
    query: z.object(pageQuery({ defaultLimit: 20, maxLimit: 100 })),
    response: z.object({ data: z.array(protocol), pagination }),
  },
})
