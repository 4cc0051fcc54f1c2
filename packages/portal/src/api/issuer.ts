import { queryOptions, useQuery } from '@tanstack/react-query'
import { ask } from './ask.ts'
import { safeNext } from './entering.ts'

const NEXT = 'coffer.next'

export const waysQuery = queryOptions({
  queryKey: ['sign-in-ways'],
  queryFn: ({ signal }) => ask('GET', '/sign-in/ways', { signal, anonymous: true }),
  staleTime: 'static',
})

/** The name of the issuer whose accounts sign users in; null where there is none, or it is not known yet. */
export const useIssuerName = (): string | null => useQuery(waysQuery).data?.openId?.name ?? null

/** Where no one can sign in under this address: the setting that is missing. */
export const useNeededPublicUrl = (): string | null => useQuery(waysQuery).data?.needsPublicUrl ?? null

/** Leaves for the issuer, which leads back to `/openid`; from there it goes on to `next`. */
export function leaveFor(url: string, next: string): void {
  if (!/^https?:\/\//.test(url)) throw new Error('The issuer has no address.')
  sessionStorage.setItem(NEXT, next)
  location.assign(url)
}

/** Where to go on after the issuer, once. */
export function takeNext(): string {
  const next = sessionStorage.getItem(NEXT)
  sessionStorage.removeItem(NEXT)
  return safeNext(next)
}
