import { Failure } from '@coffer/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { preflightHeaders } from './cors.ts'
import { errorBody } from './error-body.ts'
import type { ApiContext } from './mount.ts'
import type { Responder } from './respond.ts'

/**
 * Needs no key: a preflight is 204, another method 405 with `Allow`, anything else 404. `path` as in Fastify. `closed`:
 * for `/portal/`, which pages of other origins may not read.
 */
export function createUnrouted(
  { gates, origins, respond: open }: ApiContext,
  closed: Responder,
  routes: readonly { method: string; path: string }[],
) {
  const known = routes.map(({ method, path }) => ({ method, pattern: patternOf(path) }))

  function failureOf({ method, url }: FastifyRequest, more: readonly string[]): Failure {
    const path = url.split('?', 1)[0] ?? ''
    const allow = new Set(known.filter(({ pattern }) => pattern.test(path)).map((route) => route.method))
    if (allow.size === 0) return new Failure('NOT_FOUND', 'No such path')
    return new Failure('METHOD_NOT_ALLOWED', `${method} is not allowed here`, { allow: [...allow, ...more] })
  }

  return async function answerUnrouted(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const isClosed = request.url.startsWith('/portal/')
    const [respond, style] = isClosed ? ([closed, 'problem'] as const) : ([open, 'titled'] as const)
    const isPreflight = request.method === 'OPTIONS' && !isClosed
    respond.rate(reply, await gates.limitAnonymous(request.ip, isPreflight ? 'preflight' : 'call'))
    const refused = origins.refusal(request)
    if (refused) return respond.failure(reply, refused, errorBody(style, refused))
    if (isPreflight) {
      respond.common(reply).headers(preflightHeaders).code(204).send()
      return
    }
    const failure = failureOf(request, isClosed ? [] : ['OPTIONS'])
    respond.failure(reply, failure, errorBody(style, failure))
  }
}

function patternOf(path: string): RegExp {
  const source = path
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:\w+/g, '[^/]+')
    .replace('*', '.+')
  return new RegExp(`^${source}$`)
}
