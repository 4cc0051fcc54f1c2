import { useQuery } from '@tanstack/react-query'
import { accountQuery, HOLDINGS, renew, useAccount } from '../../api/queries.ts'
import type { OwnAnswer } from '../../api/types.ts'

export type VirtualUser = OwnAnswer<'GET', '/accounts/:account/virtual-users'>[number]
export type Balances = OwnAnswer<'GET', '/accounts/:account/virtual-users/:id/balances'>
export type Exchange = OwnAnswer<'GET', '/accounts/:account/exchanges'>[number]

const USERS = '/virtual-users'
const balancesOf = (id: string): string => `${USERS}/${id}/balances`

export const useVirtualUsers = () => useQuery(accountQuery<VirtualUser[]>(useAccount().id, USERS))
export const useBalances = (id: string) => useQuery(accountQuery<Balances>(useAccount().id, balancesOf(id)))
export const useExchanges = () => useQuery(accountQuery<Exchange[]>(useAccount().id, '/exchanges'))

/** Changes virtual users and refetches dependent data. */
export function useUserChange() {
  const { id: account } = useAccount()
  return async <T>(change: (account: string) => Promise<T>, id?: string): Promise<T> => {
    const answer = await change(account)
    const stale = [
      USERS,
      '/v1/virtual-users',
      '/v1/virtual-users/portfolio',
      HOLDINGS,
      ...(id === undefined ? [] : [balancesOf(id)]),
    ]
    await Promise.all(stale.map((path) => renew(account, path)))
    return answer
  }
}
