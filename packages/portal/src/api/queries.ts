import type { Endpoint } from '@coffer/contract'
import { QueryClient, queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ApiProblem } from './problem.ts'
import { type RequestParts, request } from './request.ts'
import type { SessionAccount, SessionView, V1Answer, V1Body, V1Path } from './types.ts'

const RETRIES = 2

/** Data stays fresh for 30 seconds. Only outages are retried: the service would refuse again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (count, error) =>
        count < RETRIES && error instanceof ApiProblem && (error.status === 0 || error.status >= 502),
    },
  },
})

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => (await request('GET', '/session', { signal })) as SessionView,
  staleTime: 60_000,
})

/** Only for screens behind the sign-in. */
export const useSession = (): SessionView => useSuspenseQuery(sessionQuery).data

/** Returns the account that the URL names. */
export function useAccount(): SessionAccount {
  const { account: id } = useParams({ strict: false }) as { account?: string }
  const account = useSession().accounts.find((one) => one.id === id)
  if (!account) throw new ApiProblem('NOT_FOUND', 404, 'You have no such account.')
  return account
}

const RANKS = { viewer: 0, accountant: 1, owner: 2 } as const

/** Screens only hide actions that would fail; the service decides. */
export function useMay(role: SessionAccount['role']): boolean {
  const { user } = useSession()
  return RANKS[useAccount().role] >= RANKS[role] || user.isOperator
}

type V1Parts = Pick<RequestParts, 'params' | 'query' | 'signal'>

/** Query options of a `/v1` endpoint, read as an account without cost. Numbers in its answer are text. */
export const v1Query = <P extends V1Path<'GET'>>(account: string, path: P, { params, query }: V1Parts = {}) =>
  queryOptions({
    queryKey: ['accounts', account, path, params, query],
    queryFn: async ({ signal }) =>
      (await request('GET', `/accounts/:account${path}`, {
        params: { ...params, account },
        ...(query && { query }),
        signal,
      })) as V1Answer<'GET', P>,
  })

export const useV1 = <P extends V1Path<'GET'>>(path: P, parts?: V1Parts) =>
  useQuery(v1Query(useAccount().id, path, parts))

type Write = Exclude<Endpoint['method'], 'GET'>

/** Writes to `/v1` as an account; costs the same as with an API key. */
export async function writeV1<M extends Write, P extends V1Path<M>>(
  method: M,
  account: string,
  path: P,
  parts: V1Parts & { body?: V1Body<M, P> } = {},
): Promise<V1Answer<M, P>> {
  const params = { ...parts.params, account }
  return (await request(method, `/accounts/:account${path}`, { ...parts, params })) as V1Answer<M, P>
}

/** Query options of a portal endpoint below an account, e.g. `/keys`. */
export const accountQuery = <T>(account: string, path: string, query?: RequestParts['query']) =>
  queryOptions({
    queryKey: ['accounts', account, path, query],
    queryFn: async ({ signal }) =>
      (await request('GET', `/accounts/${account}${path}`, { ...(query && { query }), signal })) as T,
  })

/** Query key of holdings, which several paths return; for `renew`. */
export const HOLDINGS = 'holdings'

/** Refetches everything below an account's path, after a write. */
export const renew = (account: string, path: string): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ['accounts', account, path] })
