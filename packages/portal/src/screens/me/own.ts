import { queryOptions } from '@tanstack/react-query'
import { queryClient, sessionQuery } from '../../api/queries.ts'
import { request } from '../../api/request.ts'
import type { IdentityItem, PasskeyItem, SessionItem, WalletItem } from '../../api/types.ts'

const ownQuery = <T>(path: '/user/sessions' | '/user/passkeys' | '/user/wallets' | '/user/identities') =>
  queryOptions({
    queryKey: ['user', path],
    queryFn: async ({ signal }) => (await request('GET', path, { signal })) as T,
  })

export const sessionsQuery = ownQuery<SessionItem[]>('/user/sessions')
export const passkeysQuery = ownQuery<PasskeyItem[]>('/user/passkeys')
export const walletsQuery = ownQuery<WalletItem[]>('/user/wallets')
export const identitiesQuery = ownQuery<IdentityItem[]>('/user/identities')

/** Refetches all of the user's data, after a change. */
export async function renewOwn(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['user'] }),
    queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  ])
}
