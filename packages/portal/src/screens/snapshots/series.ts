import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'
import { useAccount } from '../../api/queries.ts'
import type { OwnAnswer } from '../../api/types.ts'

/** A day of UTC: what the wallets were worth together, `N/A` with a gap; `incomplete` is what its snapshots do not have. */
export type SeriesDay = OwnAnswer<'GET', '/accounts/:account/series'>['days'][number]
export type Gap = SeriesDay['gaps'][number]

export const SERIES = '/series'
const POLL_MS = 5_000

/** The net worth by day from the snapshots of the account, at most 366 days; asked again while the last day's are taken. */
export function useSeries(addresses: readonly string[], { from, to }: { from: string; to: string }) {
  const { id: account } = useAccount()
  return useQuery({
    queryKey: ['accounts', account, SERIES, addresses, from, to],
    queryFn: ({ signal }) =>
      ask('GET', '/accounts/:account/series', { params: { account }, query: { addresses, from, to }, signal }),
    refetchInterval: ({ state }) =>
      state.data?.days.at(-1)?.gaps.some(({ reason }) => reason === 'pending') ? POLL_MS : false,
  })
}
