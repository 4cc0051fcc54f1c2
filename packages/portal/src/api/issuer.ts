import { queryOptions, useQuery } from '@tanstack/react-query'
import { ask } from './ask.ts'
import { safeNext } from './entering.ts'

const NEXT = 'coffer.next'

export const waysQuery = queryOptions({
  queryKey: ['sign-in-ways'],
  queryFn: ({ signal }) => ask('GET', '/sign-in/ways', { signal, anonymous: true }),
  staleTime: 'static',
})

/** Null without an issuer, or until it is known. */
export const useIssuerName = (): string | null => useQuery(waysQuery).data?.openId?.name ?? null

/** The setting that is missing if no one can sign in under this address. */
export const useNeededPublicUrl = (): string | null => useQuery(waysQuery).data?.needsPublicUrl ?? null

/** Redirects to the issuer, which leads back to `/openid`; the user continues at `next`. */
export function leaveFor(url: string, next: string): void {
  if (!/^https?:\/\//.test(url)) throw new Error('The issuer has no address.')
  sessionStorage.setItem(NEXT, next)
  location.assign(url)
}

/** Returns the path to continue at, once. */
export function takeNext(): string {
  const next = sessionStorage.getItem(NEXT)
  sessionStorage.removeItem(NEXT)
  return safeNext(next)
}
