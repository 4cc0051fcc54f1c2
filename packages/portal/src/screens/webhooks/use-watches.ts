import { useQuery } from '@tanstack/react-query'
import { renew, useAccount, v1Query } from '../../api/queries.ts'
import type { V1Answer } from '../../api/types.ts'

const PATH = '/v1/watches'
/** The service checks no more often. */
const POLL_MS = 60_000

export type Watch = V1Answer<'GET', typeof PATH>['data'][number]

/** Polls while the account watches something. */
export function useWatches() {
  return useQuery({
    ...v1Query(useAccount().id, PATH),
    refetchInterval: ({ state }) => (state.data?.data.length ? POLL_MS : false),
  })
}

export function useWatchChange() {
  const { id: account } = useAccount()
  return async (change: (account: string) => Promise<unknown>): Promise<void> => {
    await change(account)
    await renew(account, PATH)
  }
}
