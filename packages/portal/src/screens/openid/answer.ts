const PATH = '/openid'

/**
 * The issuer's answer, which the browser brings. It is read before the router, which respells a URL with number-like
 * parts, and removed from the URL at once. It lives as long as the page.
 */
export const answer = takeAnswer()

function takeAnswer(): string {
  const { location, history } = globalThis
  if (location?.pathname !== PATH) return ''
  const query = location.search.slice(1)
  history.replaceState(history.state, '', PATH)
  return query
}
