import { infiniteQueryOptions } from '@tanstack/react-query'
import { request } from './request.ts'

/** Options of an account's list that goes back page by page, e.g. `/ledger`; `nextOf` says what the page after begins before. */
export const accountPages = <Page>(account: string, path: string, nextOf: (page: Page) => string | null) =>
  infiniteQueryOptions({
    queryKey: ['accounts', account, path, 'pages'],
    queryFn: async ({ pageParam, signal }) => {
      const query = pageParam === null ? {} : { before: pageParam }
      return (await request('GET', `/accounts/${account}${path}`, { query, signal })) as Page
    },
    initialPageParam: null as string | null,
    getNextPageParam: nextOf,
  })
