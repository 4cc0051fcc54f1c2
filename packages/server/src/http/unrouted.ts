import { Failure } from '@coffer/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { preflightHeaders } from './cors.ts'
import { errorBody } from './error-body.ts'
import type { Gates } from './gates.ts'
import type { Origins } from './origin.ts'
import type { Responder } from './respond.ts'

/** A path of the service, with `:name` and `*` as in Fastify, and one method it answers. */
export type KnownRoute = { method: string; path: string }

/**
 * Answers what no route takes, without asking for a key: a preflight 204, a known path under another method 405 with
 * `Allow`, anything else 404.
 */
export function createUnrouted({
  routes,
  gates,
  origins,
  respond,
}: {
  routes: readonly KnownRoute[]
  gates: Gates
  origins: Origins
  respond: Responder
}) {
  const known = routes.map(({ method, path }) => ({ method, pattern: patternOf(path) }))

  return async function answerUnrouted(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    respond.rate(reply, await gates.limitAnonymous(request.ip))
    const refused = origins.refusal(request)
    if (refused) return respond.failure(reply, refused, errorBody('titled', refused))
    if (request.method === 'OPTIONS') {
      respond.common(reply).headers(preflightHeaders).code(204).send()
      return
    }
    const path = request.url.split('?', 1)[0] ?? ''
    const allow = [...new Set(known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))]
    const failure =
      allow.length > 0
        ? new Failure('METHOD_NOT_ALLOWED', `${request.method} is not allowed here`, { allow: [...allow, 'OPTIONS'] })
        : new Failure('NOT_FOUND', 'No such path')
    respond.failure(reply, failure, errorBody('titled', failure))
  }
}

function patternOf(path: string): RegExp {
  const source = path
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:\w+/g, '[^/]+')
    .replace('*', '.+')
  return new RegExp(`^${source}$`)
}
