import { z } from 'zod'
import { decimalString } from '../decimal-string.ts'
import { defineEndpoints } from '../endpoint.ts'
import { integerQuery } from '../query.ts'
import { own, rowId } from './requirement.ts'

const moment = z.iso.datetime({ precision: 3 })
const kinds = ['grant', 'adjust_up', 'adjust_down', 'charge', 'hold', 'post', 'void', 'refund'] as const

/**
 * `grant`: from the operator. `request`: a call. `change`: a paid change of the account's own data. `sync`: found
 * transactions. `snapshots`: a term. `closing`: the sum of a closed day. `void` and `refund` return credits of that
 * purpose.
 */
const purposes = ['grant', 'request', 'change', 'sync', 'snapshots', 'closing', 'other'] as const

const ledgerLine = z.object({
  id: z.string(),
  at: moment,
  kind: z.enum(kinds),
  purpose: z.enum(purposes),
  /** Reference of a grant, ID of the request, or day of a sum. */
  reference: z.string().nullable(),
  /** Credits added to the available ones (negative: taken). 0 for held credits. */
  change: z.int(),
  /** Available after it. */
  balance: z.int(),
})

const ledgerView = z.object({
  /** Newest first. */
  lines: z.array(ledgerLine),
  /** `before` for older lines; null: there are none. */
  next: z.string().nullable(),
})
export type LedgerView = z.infer<typeof ledgerView>

const creditsView = z.object({
  available: z.int(),
  /** Held for calls in progress. */
  pending: z.int(),
  /** Average spent per day of the last 30 days, or of a younger account's age. */
  perDay: decimalString,
  /** End at that rate; null: none are spent, or they last more than a hundred years. */
  lastsUntil: moment.nullable(),
})
export type CreditsView = z.infer<typeof creditsView>

const credits = { ...own, tag: 'Credits', method: 'GET', requires: { who: 'viewer' } } as const

export const ledgerEndpoints = defineEndpoints({
  listLedger: {
    ...credits,
    path: '/portal/api/accounts/:account/ledger',
    summary: 'List the entries of the ledger',
    query: z.object({ before: rowId.optional(), limit: integerQuery({ min: 1, max: 200 }).default(50) }),
    response: ledgerView,
  },
  viewCredits: {
    ...credits,
    path: '/portal/api/accounts/:account/credits',
    summary: 'Get the credits and how long they last',
    response: creditsView,
  },
})
