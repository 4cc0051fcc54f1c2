let token: string | null = null

/**
 * The token of a one-time link. It comes in the address's fragment, which is no part of any request, and is taken out of the
 * address at once, so that no history and no screenshot keeps it. Here it lives as long as the page.
 */
export function takeToken(): string {
  if (location.hash.length > 1) {
    token = location.hash.slice(1)
    history.replaceState(history.state, '', location.pathname)
  }
  return token ?? ''
}
