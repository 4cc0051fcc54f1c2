import { z } from 'zod'
import type { Addresses } from './address.ts'
import { decimalString, integerString } from './decimal-string.ts'
import { defineEndpoints } from './endpoint.ts'
import { displayNames } from './portfolio.ts'
import { integerQuery } from './query.ts'

/** Accepted by these keys alone, without the aliases of other routes. */
export const APPROVAL_CHAINS = [
  'arbitrum',
  'avalanche',
  'base',
  'binance',
  'ethereum',
  'fantom',
  'gnosis',
  'linea',
  'optimism',
  'polygon',
] as const

/** `amount` in base units. */
export const approval = z
  .object({
    block: integerString,
    timestamp: z.iso.datetime({ precision: 0 }),
    hash: z.string(),
    contract: z.string(),
    from: z.string(),
    to: z.string(),
    amount: integerString,
    /** Listed token, with the current balance in token units. */
    asset: z
      .object({
        name: z.string(),
        symbol: z.string(),
        ...displayNames,
        balance: decimalString,
        price: decimalString,
        value: decimalString,
        decimal: z.string(),
        chain: z.string(),
        contract: z.string(),
        imgSmall: z.string(),
        imgLarge: z.string(),
      })
      .meta({ id: 'ApprovedToken' })
      .optional(),
  })
  .meta({ id: 'Approval' })
export type Approval = z.infer<typeof approval>

const CURSOR_MAX = 500

export const approvalEndpoints = (addresses: Addresses) =>
  defineEndpoints({
    listApprovals: {
      method: 'GET',
      path: '/v1/approvals/:chain',
      summary: 'List approvals',
      description:
        'Returns the allowances that a wallet has set on ERC-20 tokens of a chain, newest first, including revocations. NFT approvals (`approve`, `setApprovalForAll`) and Permit2 grants are not listed. Repeat the call with `cursor` until it is null. A page is served once its blocks are searched. Until then the call waits up to 30 seconds and returns 502 while the search continues.',
      tag: 'Approvals',
      status: 200,
      cost: 1,
      bucket: 'default',
      requires: 'portfolio',
      errors: 'message',
      failures: [502],
      params: z.object({
        chain: z
          .enum(APPROVAL_CHAINS, `must be one of ${APPROVAL_CHAINS.join(', ')}`)
          .describe('The key of the chain.'),
      }),
      query: z.object({
        addresses: addresses
          .list({ ...addresses.approvals, max: 1 })
          .describe(addresses.describe(addresses.approvals, 1)),
        limit: integerQuery({ min: 1, max: 100 }).default(25).describe('Items per page.'),
        cursor: z
          .string({ error: 'must be given once' })
          .max(CURSOR_MAX, 'must be the cursor of an earlier answer')
          .transform((cursor) => (cursor === '' ? undefined : cursor))
          .meta({ wire: { type: 'string', maxLength: CURSOR_MAX } })
          .optional()
          .describe('`cursor` of the previous page; empty for the first page.'),
      }),
      response: z.object({ cursor: z.string().nullable(), pageSize: z.int(), items: z.array(approval) }),
    },
  })
