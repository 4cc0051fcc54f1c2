import type { FastifyReply } from 'fastify'

const EXPOSED =
  'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Data-Complete, X-Request-Id'
const METHODS = 'GET, POST, PATCH, DELETE'
const REQUEST_HEADERS = 'Authorization, Content-Type'
/** How long a browser may remember a preflight, in seconds. */
const MAX_AGE_SECONDS = '86400'

/** Which web pages may call: all of them (`*`) or those of the listed origins. Never with cookies. */
export type CorsOrigins = '*' | readonly string[]

export type Cors = ReturnType<typeof createCors>

export function createCors(origins: CorsOrigins) {
  function allow(reply: FastifyReply): void {
    if (origins === '*') {
      reply.header('access-control-allow-origin', '*')
    } else {
      reply.header('vary', 'Origin')
      const { origin } = reply.request.headers
      if (origin === undefined || !origins.includes(origin)) return
      reply.header('access-control-allow-origin', origin)
    }
    reply.header('access-control-expose-headers', EXPOSED)
  }

  /** The answer to a preflight, beyond what `allow` says. */
  function preflight(reply: FastifyReply): void {
    reply.header('access-control-allow-methods', METHODS)
    reply.header('access-control-allow-headers', REQUEST_HEADERS)
    reply.header('access-control-max-age', MAX_AGE_SECONDS)
  }

  return { allow, preflight }
}
