import { infiniteQueryOptions, keepPreviousData, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'
import { queryClient, sessionQuery } from '../../api/queries.ts'
import type { OwnAnswer } from '../../api/types.ts'

type Path = '/operator/chains' | '/operator/jobs' | '/operator/price-sources' | '/operator/configuration'

export type Account = OwnAnswer<'GET', '/operator/accounts'>['accounts'][number]
export type Chain = OwnAnswer<'GET', '/operator/chains'>[number]
export type Queue = OwnAnswer<'GET', '/operator/jobs'>[number]
export type Sync = OwnAnswer<'GET', '/operator/syncs'>['syncs'][number]
export type PriceSource = OwnAnswer<'GET', '/operator/price-sources'>[number]

const REFRESH_MS = 15_000

/** Polled while on screen. */
export const useOperator = <P extends Path>(path: P) =>
  useQuery(
    queryOptions({
      queryKey: ['operator', path],
      queryFn: ({ signal }) => ask('GET', path, { signal }) as Promise<OwnAnswer<'GET', P>>,
      refetchInterval: REFRESH_MS,
    }),
  )

/** Pages of a list, polled while on screen. */
export const useOperatorPages = <P extends '/operator/accounts' | '/operator/syncs'>(path: P, name = '') =>
  useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: ['operator', path, name],
      queryFn: ({ pageParam: after, signal }) => {
        const query = { ...(name !== '' && { name }), ...(after !== null && { after }) }
        return ask('GET', path, { query, signal }) as Promise<OwnAnswer<'GET', P>>
      },
      initialPageParam: null as string | null,
      getNextPageParam: (page) => (page as { next: string | null }).next,
      placeholderData: keepPreviousData,
      refetchInterval: REFRESH_MS,
    }),
  )

/** Refetches data that depends on accounts. */
export async function renewAccounts(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['operator', '/operator/accounts'] }),
    queryClient.invalidateQueries({ queryKey: ['accounts'] }),
    queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  ])
}
