import { Failure } from '@coffer/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { preflightHeaders } from './cors.ts'
import { errorBody } from './error-body.ts'
import type { ApiContext } from './mount.ts'
import type { Responder } from './respond.ts'

/** `closed`: for `/portal/`, which pages of other origins may not read. */
type UnroutedContext = ApiContext & { closed: Responder; routes: readonly { method: string; pattern: RegExp }[] }

/** Needs no key: a preflight is 204, another method 405 with `Allow`, anything else 404. */
export async function answerUnrouted(
  { gates, origins, respond: open, closed, routes }: UnroutedContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
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
  const path = request.url.split('?', 1)[0] ?? ''
  const allow = new Set(routes.flatMap(({ method, pattern }) => (pattern.test(path) ? [method] : [])))
  const failure =
    allow.size === 0
      ? new Failure('NOT_FOUND', 'No such path')
      : new Failure('METHOD_NOT_ALLOWED', `${request.method} is not allowed here`, {
          allow: [...allow, ...(isClosed ? [] : ['OPTIONS'])],
        })
  respond.failure(reply, failure, errorBody(style, failure))
}

/** `path` as in Fastify. */
export function patternOf(path: string): RegExp {
  const source = path
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:\w+/g, '[^/]+')
    .replace('*', '.+')
  return new RegExp(`^${source}$`)
}
