import type { SeriesView } from '@coffer/contract/portal'
import { useQuery } from '@tanstack/react-query'
import { walletsOf } from '../lib/addresses.ts'
import { dayBefore } from '../lib/time.ts'
import { ask } from './ask.ts'
import { useAccount } from './queries.ts'

/** A day of UTC: what the wallets were worth together, `N/A` with a gap; `incomplete` is what its snapshots do not have. */
export type SeriesDay = SeriesView['days'][number]
export type SeriesGap = SeriesDay['gaps'][number]

export const SERIES = '/series'
const POLL_MS = 5_000

/**
 * The net worth of the wallets among `addresses` on the last `days` days, today with them, at most 366, from the snapshots of
 * the account; asked again while the last day's are taken.
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
