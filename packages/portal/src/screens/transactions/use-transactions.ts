import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { useAccount, v1Query } from '../../api/queries.ts'
import { request } from '../../api/request.ts'
import type { Filter } from './filter.ts'
import { type Answer, keyOf, type Transaction } from './transaction.ts'

const PAGE = 100
/** As many as the service gives at once. */
const EXPORT_PAGE = 250

export const PATH = '/v1/transactions'

type Asked = { account: string; addresses: readonly string[]; filter: Filter }

async function readPage(
  { account, addresses, filter }: Asked,
  place: { offset: number; limit: number },
  signal?: AbortSignal,
) {
  const query = { addresses, ...filter, ...place }
  const parts = { params: { account }, query, ...(signal && { signal }) }
  return (await request('GET', `/accounts/:account${PATH}`, parts)) as Answer
}

const listOptions = (asked: Asked) =>
  infiniteQueryOptions({
    queryKey: ['accounts', asked.account, PATH, asked.addresses, asked.filter],
    queryFn: ({ pageParam: offset, signal }) => readPage(asked, { offset, limit: PAGE }, signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.transactions.length < PAGE ? undefined : pages.length * PAGE),
  })

/** The transactions that a filter leaves, a page more whenever one is asked for. */
export function useTransactions(addresses: readonly string[], filter: Filter) {
  const { id: account } = useAccount()
  return useInfiniteQuery(listOptions({ account, addresses, filter }))
}

/** Each once: what is stored meanwhile moves items to the next page. */
export function onceEach(pages: readonly Answer[]): Transaction[] {
  const all = pages.flatMap(({ transactions }) => transactions)
  return [...new Map(all.map((one) => [keyOf(one), one])).values()]
}

/** All transactions that a filter leaves, read page by page; `onRead` hears how many there are so far. */
export async function readAll(asked: Asked, onRead: (count: number) => void): Promise<Transaction[]> {
  const pages: Answer[] = []
  for (;;) {
    const page = await readPage(asked, { offset: pages.length * EXPORT_PAGE, limit: EXPORT_PAGE })
    pages.push(page)
    const all = onceEach(pages)
    onRead(all.length)
    if (page.transactions.length < EXPORT_PAGE) return all
  }
}

const POLL_MS = 2_000

/** How far the search for wallets' transactions is; asked again while one runs. */
export const statusQuery = (account: string, addresses: readonly string[]) => ({
  ...v1Query(account, '/v1/status', { query: { addresses } }),
  refetchInterval: (query: { state: { data?: readonly { syncInProgress: boolean }[] | undefined } }) =>
    query.state.data?.some(({ syncInProgress }) => syncInProgress) ? POLL_MS : false,
})
