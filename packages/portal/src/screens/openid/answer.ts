const PATH = '/openid'

/**
 * What the issuer gave the browser to bring back. It is read before the router, which spells an address anew where it takes a
 * part of it for a number, and taken out of the address at once. It lives as long as the page.
 */
export const answer = takeAnswer()

function takeAnswer(): string {
  const { location, history } = globalThis
  if (location?.pathname !== PATH) return ''
  const query = location.search.slice(1)
  history.replaceState(history.state, '', PATH)
  return query
}
