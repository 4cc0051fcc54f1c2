import { useQuery } from '@tanstack/react-query'
import { walletsOf } from '../lib/addresses.ts'
import { dayBefore } from '../lib/time.ts'
import { accountQuery, useAccount } from './queries.ts'

/** What wallets were worth by day, of the account's snapshots; a day with a gap is worth `N/A`. */
export type SeriesView = {
  currency: 'USD'
  days: {
    date: string
    netWorth: string
    gaps: { address: string; reason: string; chain?: string }[]
  }[]
}

/** The net worth of the wallets among `addresses` on the last `days` days, today with them. */
export function useSeries(addresses: readonly string[], days: number) {
  const now = new Date()
  const query = { addresses: walletsOf(addresses), from: dayBefore(now, days - 1), to: dayBefore(now, 0) }
  return useQuery({
    ...accountQuery<SeriesView>(useAccount().id, '/series', query),
    enabled: query.addresses.length > 0,
  })
}
