import { z } from 'zod'
import { defineEndpoints } from '../endpoint.ts'
import { integerQuery } from '../query.ts'
import { own } from './requirement.ts'

/**
 * `input`: refused for what the call said. `access`: not allowed to the account. `credits`, `rate`: refused for credits
 * or the rate limit. `busy`: shed or late. `failed`: on our side or upstream.
 */
const USAGE_OUTCOMES = ['ok', 'input', 'access', 'credits', 'rate', 'busy', 'failed'] as const
const outcome = z.enum(USAGE_OUTCOMES)
export type UsageOutcome = z.infer<typeof outcome>

const usageView = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  /** By day (UTC), key and endpoint (name of its operation). Omits those without calls. */
  lines: z.array(
    z.object({
      day: z.iso.date(),
      keyId: z.string(),
      endpoint: z.string(),
      outcome,
      requests: z.int(),
      credits: z.int(),
    }),
  ),
  /** Unanswered calls of the whole time. */
  refused: z.array(z.object({ outcome, requests: z.int() })),
})
export type UsageView = z.infer<typeof usageView>

export const usageEndpoints = defineEndpoints({
  getUsage: {
    ...own,
    tag: 'Usage',
    method: 'GET',
    path: '/portal/api/accounts/:account/usage',
    summary: 'Get the usage of keys',
    description: 'Counted every few seconds. These are statistics; only the ledger records payments.',
    requires: { who: 'viewer' },
    query: z.object({ days: integerQuery({ min: 1, max: 366 }).default(30) }),
    response: usageView,
  },
})
