import { z } from 'zod'
import { addressList, shippedAddresses } from '../address.ts'
import { dayQuery } from '../date.ts'
import { decimalOrUnknown } from '../decimal-string.ts'
import { defineEndpoints } from '../endpoint.ts'
import { own } from './requirement.ts'

/** Per answer. */
const MOST_DAYS = 366
const MOST_ADDRESSES = 10
const DAY_MS = 86_400_000

/** Reasons: no account subscribed, not taken yet, nodes have dropped that state, or a part was unreadable. */
const gap = z.object({
  address: z.string(),
  reason: z.enum(['not-subscribed', 'pending', 'no-state', 'unreadable']),
  chain: z.string().optional(),
})

const series = z.object({
  currency: z.literal('USD'),
  /** Every requested day, oldest first; `netWorth` of a day with `gaps` is `N/A`. */
  days: z.array(
    z.object({
      date: z.iso.date(),
      netWorth: decimalOrUnknown,
      gaps: z.array(gap),
      /** Missing parts of the day's snapshots. */
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
    description: 'Total value of wallets, from the snapshots of the account. Nothing is interpolated.',
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
