import type { Endpoint, Failure } from '@coffer/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Cors } from './cors.ts'
import type { Rate } from './mount.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'

/** Writes responses; the one place that knows which headers each of them has. */
export type Responder = ReturnType<typeof createResponder>

export function createResponder({ cors, publicUrl }: { cors: Cors; publicUrl: string | undefined }) {
  /** Puts the three rate headers on the response, and hands the window on. */
  function rate(reply: FastifyReply, window: Rate): Rate {
    reply.header('x-ratelimit-limit', window.limit)
    reply.header('x-ratelimit-remaining', window.remaining)
    reply.header('x-ratelimit-reset', window.resetAt)
    return window
  }

  function common(reply: FastifyReply): void {
    reply.header('x-request-id', reply.request.id)
    cors.allow(reply)
  }

  function success(reply: FastifyReply, endpoint: Endpoint, body: string | Buffer | undefined): void {
    common(reply)
    if (endpoint.headers) reply.headers(endpoint.headers)
    reply.code(endpoint.status)
    if (body === undefined) {
      reply.send()
      return
    }
    reply.header('content-type', endpoint.produces ? TEXT_TYPE : JSON_TYPE).send(body)
  }

  /** An object is sent as JSON, a text as it is. */
  function failure(reply: FastifyReply, { code, status, extras }: Failure, body: object | string): void {
    common(reply)
    if (code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer')
    if (extras['retryAfterSeconds'] !== undefined) reply.header('retry-after', extras['retryAfterSeconds'])
    if (code === 'METHOD_NOT_ALLOWED') reply.header('allow', String(extras['allow']))
    reply.code(status).header('content-type', typeof body === 'string' ? TEXT_TYPE : JSON_TYPE)
    reply.send(typeof body === 'string' ? body : JSON.stringify(body))
  }

  /** Under which origin the caller reaches us: the configured one, else what the request says. */
  function originOf(request: FastifyRequest): string {
    return publicUrl ?? `${request.protocol}://${request.host}`
  }

  return { rate, common, success, failure, originOf }
}
