import type {
  CostMethod,
  EarningsView,
  LotGapView,
  OpenLotsView,
  PnlPeriodsView,
  PnlUnit,
  SoldLotsView,
} from '@coffer/contract/portal'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'
import { useAccount } from '../../api/queries.ts'
import { request } from '../../api/request.ts'
import type { Period } from './periods.ts'

export type { CostMethod, LotGapView, PnlPeriodsView, PnlUnit }
export type PnlPeriod = PnlPeriodsView['periods'][number]
export type SoldLot = SoldLotsView['lots'][number]
export type OpenLot = OpenLotsView['lots'][number]
export type Earning = EarningsView['lots'][number]

export const UNITS = ['YEAR', 'QUARTER', 'MONTH', 'TOTAL'] as const satisfies readonly PnlUnit[]
export const METHODS = ['AVG', 'FIFO', 'LIFO', 'HIFO'] as const satisfies readonly CostMethod[]

/** Omit `from` for all history. */
export type PeriodsAsked = { addresses: readonly string[]; by: PnlUnit; from?: string; to: string }
export type LotsAsked = Period & { addresses: readonly string[]; method: CostMethod }

/** Between questions for the progress of a long history. */
const COMPUTING_MS = 2_000

export function usePeriods(query: PeriodsAsked) {
  const { id: account } = useAccount()
  return useQuery({
    queryKey: ['accounts', account, '/pnl/periods', query],
    queryFn: ({ signal }) => ask('GET', '/accounts/:account/pnl/periods', { params: { account }, query, signal }),
    refetchInterval: ({ state }) => againIn(state.data),
  })
}

const againIn = (found: { computedTo: string | null } | undefined) => (found?.computedTo ? COMPUTING_MS : false)

type Page = { offset: number; total: number; lots: readonly unknown[]; computedTo: string | null }

/** Pages through the lots of a period; the service sets the page size. */
function useLots<View extends Page>(path: string, asked: LotsAsked) {
  const { id: account } = useAccount()
  return useInfiniteQuery({
    queryKey: ['accounts', account, path, asked],
    queryFn: async ({ signal, pageParam }) => {
      const query = { ...asked, offset: pageParam }
      return (await request('GET', `/accounts/${account}${path}`, { query, signal })) as View
    },
    refetchInterval: ({ state }) => againIn(state.data?.pages[0]),
    initialPageParam: 0,
    getNextPageParam: ({ offset, total, lots }: View) => {
      const next = offset + lots.length
      return next < total && lots.length > 0 ? next : undefined
    },
  })
}

export const useSoldLots = (asked: LotsAsked) => useLots<SoldLotsView>('/pnl/sold', asked)
export const useOpenLots = (asked: LotsAsked) => useLots<OpenLotsView>('/pnl/open', asked)
export const useEarnings = (asked: LotsAsked) => useLots<EarningsView>('/pnl/income', asked)
