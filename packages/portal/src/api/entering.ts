import { queryClient, sessionQuery } from './queries.ts'
import type { SessionView } from './types.ts'

/** Takes over the session that an answer opened: nothing of another user's stays. */
export function enter(session: unknown): void {
  queryClient.clear()
  queryClient.setQueryData(sessionQuery.queryKey, session as SessionView)
}

/** Where to go after a sign-in: a path of this application alone, whatever the address says. */
export function safeNext(next: unknown): string {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) && !next.startsWith('/sign-in') ? next : '/'
}
