import type { SeriesView } from '@coffer/contract/portal'
import { useQuery } from '@tanstack/react-query'
import { walletsOf } from '../lib/addresses.ts'
import { dayBefore } from '../lib/time.ts'
import { ask } from './ask.ts'
import { useAccount, v1Query } from './queries.ts'
import type { Scope } from './scope.ts'
import type { V1Answer } from './types.ts'

/** A UTC day: worth of all the wallets, `N/A` if there are `gaps`. `incomplete` lists what its snapshots lack. */
export type SeriesDay = SeriesView['days'][number]
export type SeriesGap = SeriesDay['gaps'][number]

export const SERIES = '/series'
const POLL_MS = 5_000
const COMPUTING_MS = 1_000

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

export type WorthPoint = V1Answer<'GET', '/v1/portfolio/series'>['points'][number]

/** No chain is missing. */
export const isWhole = ({ networth, incomplete }: WorthPoint): boolean =>
  networth !== 'N/A' && incomplete.every(({ protocol }) => protocol !== undefined)

/**
 * Net worth at 00:00 UTC of the last `days` days (with today), from past blocks. Only for saved wallets: others would
 * cost credits. Each request waits for missing points.
 */
export function useWorth({ addresses, sources }: Scope, days: number) {
  const { id: account } = useAccount()
  const now = new Date()
  const wallets = walletsOf(addresses)
  const saved = new Set(sources.saved.map(({ address }) => address.toLowerCase()))
  const startOf = (ago: number) => `${dayBefore(now, ago)}T00:00:00Z`
  const query = { addresses: wallets, from: startOf(days - 1), to: startOf(0), interval: 'DAY', waitForSync: true }
  return useQuery({
    ...v1Query(account, '/v1/portfolio/series', { query }),
    enabled: wallets.length > 0 && wallets.every((wallet) => saved.has(wallet.toLowerCase())),
    refetchInterval: ({ state }) => (state.data?.computing ? COMPUTING_MS : false),
  })
}
