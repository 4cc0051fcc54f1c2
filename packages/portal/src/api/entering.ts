import { queryClient, sessionQuery } from './queries.ts'
import type { SessionView } from './types.ts'

/** Starts a session and clears all cached data of the previous user. */
export function enter(session: unknown): void {
  queryClient.clear()
  queryClient.setQueryData(sessionQuery.queryKey, session as SessionView)
}

/** Returns the path to open after sign-in: only a path of this application, regardless of the URL. */
export function safeNext(next: unknown): string {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) && !next.startsWith('/sign-in') ? next : '/'
}
