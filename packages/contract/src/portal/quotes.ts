import { z } from 'zod'
import { addressSchema, shippedAddresses } from '../address.ts'
import { defineEndpoints } from '../endpoint.ts'
import { own } from './requirement.ts'

const MOST_ADDRESSES = 50
const wallet = addressSchema(shippedAddresses.wallets)

/** `syncTransactions`: a call per address. */
const asked = z.object({
  endpoint: z.enum(['syncTransactions', 'subscribeSnapshot']),
  addresses: z.array(wallet).min(1, 'must name an address').max(MOST_ADDRESSES),
})
export type QuoteAsked = z.output<typeof asked>

const quote = z.object({
  /** Taken at once. */
  credits: z.int(),
  /** Possible later charge: 1 credit for each `per` new transactions begun. */
  more: z.object({ credits: z.int(), per: z.int() }).nullable(),
  available: z.int(),
  isEnough: z.boolean(),
  /** `running` and `fresh` (done just now) cost nothing. */
  items: z.array(z.object({ address: z.string(), credits: z.int(), why: z.enum(['new', 'running', 'fresh']) })),
})
export type QuoteView = z.infer<typeof quote>

export const quoteEndpoints = defineEndpoints({
  quote: {
    ...own,
    tag: 'Credits',
    method: 'POST',
    path: '/portal/api/accounts/:account/quote',
    summary: 'Get the cost of calls',
    description: 'Changes nothing and costs nothing.',
    requires: { who: 'viewer' },
    body: asked,
    response: quote,
  },
})
