import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { useAccount, v1Query } from '../../api/queries.ts'
import { request } from '../../api/request.ts'
import type { Filter } from './filter.ts'
import { type Answer, keyOf, type Transaction } from './transaction.ts'

const PAGE = 100

export const PATH = '/v1/transactions'

type Asked = { account: string; addresses: readonly string[]; filter: Filter }

async function readPage({ account, addresses, filter }: Asked, offset: number, signal: AbortSignal) {
  const query = { addresses, ...filter, offset, limit: PAGE }
  return (await request('GET', `/accounts/:account${PATH}`, { params: { account }, query, signal })) as Answer
}

const listOptions = (asked: Asked) =>
  infiniteQueryOptions({
    queryKey: ['accounts', asked.account, PATH, asked.addresses, asked.filter],
    queryFn: ({ pageParam: offset, signal }) => readPage(asked, offset, signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.transactions.length < PAGE ? undefined : pages.length * PAGE),
  })

export function useTransactions(addresses: readonly string[], filter: Filter) {
  const { id: account } = useAccount()
  return useInfiniteQuery(listOptions({ account, addresses, filter }))
}

/** Removes duplicates: items stored meanwhile move others to the next page. */
export function onceEach(pages: readonly Answer[]): Transaction[] {
  const all = pages.flatMap(({ transactions }) => transactions)
  return [...new Map(all.map((one) => [keyOf(one), one])).values()]
}

const POLL_MS = 2_000

/** Polls while a search for transactions runs. */
export const statusQuery = (account: string, addresses: readonly string[]) => ({
  ...v1Query(account, '/v1/status', { query: { addresses } }),
  refetchInterval: (query: { state: { data?: readonly { syncInProgress: boolean }[] | undefined } }) =>
    query.state.data?.some(({ syncInProgress }) => syncInProgress) ? POLL_MS : false,
})
