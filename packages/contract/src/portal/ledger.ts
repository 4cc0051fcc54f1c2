import { z } from 'zod'
import { decimalString } from '../decimal-string.ts'
import { defineEndpoints } from '../endpoint.ts'
import { integerQuery } from '../query.ts'
import { rowId } from './keys.ts'
import { own } from './requirement.ts'

const moment = z.iso.datetime({ precision: 3 })
const kinds = ['grant', 'adjust_up', 'adjust_down', 'charge', 'hold', 'post', 'void', 'refund'] as const

/**
 * What a line was for: credits given by the operator, a call, found transactions of a sync, a term of snapshots, a paid
 * change of the account's own data, or the sum of a day that was closed. `void` and `refund` give back what it was for.
 */
const purposes = ['grant', 'request', 'change', 'sync', 'snapshots', 'closing', 'other'] as const

const ledgerLine = z.object({
  id: z.string(),
  at: moment,
  kind: z.enum(kinds),
  purpose: z.enum(purposes),
  /** Reference of a grant, id of the request, or the day of a sum; null where there is none. */
  reference: z.string().nullable(),
  /** Credits that the line adds to what is available (negative: takes from it); 0 for what had been held. */
  change: z.int(),
  /** What was available after it. */
  balance: z.int(),
})

const ledgerView = z.object({
  /** The newest first. */
  lines: z.array(ledgerLine),
  /** Give it as `before` for older lines; null: there are none. */
  next: z.string().nullable(),
})
export type LedgerView = z.infer<typeof ledgerView>

const creditsView = z.object({
  available: z.int(),
  /** Held for calls that are under way. */
  pending: z.int(),
  /** Spent a day on average of the last 30 days, or of those that the account is old. */
  perDay: decimalString,
  /** When the credits end if they go on being spent so; null: they are not spent, or last more than a hundred years. */
  lastsUntil: moment.nullable(),
})
export type CreditsView = z.infer<typeof creditsView>

const credits = { ...own, tag: 'Credits', method: 'GET', requires: { who: 'viewer' } } as const

export const ledgerEndpoints = defineEndpoints({
  listLedger: {
    ...credits,
    path: '/portal/api/accounts/:account/ledger',
    summary: 'List what credits were given and taken for',
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
