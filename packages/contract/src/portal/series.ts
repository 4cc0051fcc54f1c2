import { z } from 'zod'
import { addressList, shippedAddresses } from '../address.ts'
import { dayQuery } from '../date.ts'
import { decimalOrUnknown } from '../decimal-string.ts'
import { defineEndpoints } from '../endpoint.ts'
import { own } from './requirement.ts'

/** Days of one answer. */
const MOST_DAYS = 366
const MOST_ADDRESSES = 10
const DAY_MS = 86_400_000

/**
 * Why a day has no snapshot of a wallet: no account subscribed, it is not taken yet, nodes had no state of it any more, or a part
 * could not be read.
 */
const gap = z.object({
  address: z.string(),
  reason: z.enum(['not-subscribed', 'pending', 'no-state', 'unreadable']),
  chain: z.string().optional(),
})

const series = z.object({
  currency: z.literal('USD'),
  /** Every day that was asked for, the oldest first; a day with a gap is worth `N/A`. */
  days: z.array(
    z.object({
      date: z.iso.date(),
      netWorth: decimalOrUnknown,
      gaps: z.array(gap),
      /** What snapshots of the day themselves do not have. */
      incomplete: z.array(z.object({ address: z.string(), chain: z.string(), reason: z.string() })),
    }),
  ),
})
export type SeriesView = z.infer<typeof series>

export const seriesEndpoints = defineEndpoints({
  getSeries: {
    ...own,
    tag: 'Snapshots',
    method: 'GET',
    path: '/portal/api/accounts/:account/series',
    summary: 'Get the net worth by day',
    description: 'What wallets were worth together, by the snapshots of the account. Nothing is interpolated.',
    requires: { who: 'viewer', access: 'portfolio' },
    query: z
      .object({
        addresses: addressList({ ...shippedAddresses.wallets, max: MOST_ADDRESSES }),
        from: dayQuery,
        to: dayQuery,
      })
      .superRefine(({ from, to }, context) => {
        const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
        if (days >= 1 && days <= MOST_DAYS) return
        const message = days < 1 ? 'must not be before from' : `must be less than ${MOST_DAYS} days after from`
        context.addIssue({ code: 'custom', path: ['to'], message })
      }),
    response: series,
  },
})
