import { infiniteQueryOptions } from '@tanstack/react-query'
import { type RequestParts, request } from './request.ts'

/**
 * Options of an account's list that goes back page by page, e.g. `/ledger`; `nextOf` says what the page after begins before.
 * `query` narrows it.
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
