let token: string | null = null

/**
 * Reads the token of a one-time link. It comes in the URL's fragment, which no request contains. It leaves the URL at
 * once, so that no history or screenshot keeps it, and lives as long as the page.
 */
export function takeToken(): string {
  if (location.hash.length > 1) {
    token = location.hash.slice(1)
    history.replaceState(history.state, '', location.pathname)
  }
  return token ?? ''
}
