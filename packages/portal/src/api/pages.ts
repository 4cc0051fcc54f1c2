import { infiniteQueryOptions } from '@tanstack/react-query'
import { type RequestParts, request } from './request.ts'

/**
 * Query options of a list that pages into the past, e.g. `/ledger`. `nextOf` returns the bound before which the next
 * page starts.
 */
export const accountPages = <Page>(
  account: string,
  path: string,
  nextOf: (page: Page) => string | null,
  query: NonNullable<RequestParts['query']> = {},
) =>
  infiniteQueryOptions({
    queryKey: ['accounts', account, path, 'pages', query],
    queryFn: async ({ pageParam: before, signal }) => {
      const asked = { ...query, ...(before !== null && { before }) }
      return (await request('GET', `/accounts/${account}${path}`, { query: asked, signal })) as Page
    },
    initialPageParam: null as string | null,
    getNextPageParam: nextOf,
  })
