import type { SeriesView } from '@coffer/contract/portal'
import { useQuery } from '@tanstack/react-query'
import { walletsOf } from '../lib/addresses.ts'
import { dayBefore } from '../lib/time.ts'
import { ask } from './ask.ts'
import { useAccount } from './queries.ts'

/** A UTC day: worth of all the wallets, `N/A` if there are `gaps`. `incomplete` lists what its snapshots lack. */
export type SeriesDay = SeriesView['days'][number]
export type SeriesGap = SeriesDay['gaps'][number]

export const SERIES = '/series'
const POLL_MS = 5_000

/**
 * Net worth of the wallets among `addresses` over the last `days` days (at most 366, with today), from the account's
 * snapshots. Polls while the last day's are taken.
 */
export function useSeries(addresses: readonly string[], days: number) {
  const { id: account } = useAccount()
  const now = new Date()
  const query = { addresses: walletsOf(addresses), from: dayBefore(now, days - 1), to: dayBefore(now, 0) }
  return useQuery({
    queryKey: ['accounts', account, SERIES, query],
    queryFn: ({ signal }) => ask('GET', '/accounts/:account/series', { params: { account }, query, signal }),
    enabled: query.addresses.length > 0,
    refetchInterval: ({ state }) =>
      state.data?.days.at(-1)?.gaps.some(({ reason }) => reason === 'pending') ? POLL_MS : false,
  })
}
