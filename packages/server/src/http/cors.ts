const EXPOSED =
  'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Data-Complete, X-Ignored-Parameters, X-Request-Id'
const MAX_AGE_SECONDS = '86400'

/** All origins (`*`) or the listed ones. Never with cookies. */
export type CorsOrigins = '*' | readonly string[]

export type Headers = Readonly<Record<string, string>>

const ANY_ORIGIN: Headers = { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED }
const NONE: Headers = {}
const NOT_ALLOWED: Headers = { vary: 'Origin' }

export const preflightHeaders: Headers = {
  'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Last-Event-ID, Mcp-Protocol-Version, Mcp-Method, Mcp-Name',
  'access-control-max-age': MAX_AGE_SECONDS,
}

export function corsHeaders(allowed: CorsOrigins, origin: string | undefined): Headers {
  if (allowed === '*') return ANY_ORIGIN
  if (allowed.length === 0) return NONE
  if (origin === undefined || !allowed.includes(origin)) return NOT_ALLOWED
  return { ...NOT_ALLOWED, 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED }
}
