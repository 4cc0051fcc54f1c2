import type { OutgoingHttpHeaders } from 'node:http'
import type { Endpoint, Failure } from '@coffer/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type CorsOrigins, corsHeaders, type Headers } from './cors.ts'
import type { Rate } from './mount.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'

/** Writes responses; the one place that knows which headers each of them has. */
export type Responder = ReturnType<typeof createResponder>

/** A body for everyone, with no key asked for: an icon, a page. */
export type PublicFile = { contentType: string; body: string | Buffer; headers?: Headers }

export function rateHeaders({ limit, remaining, resetAt }: Rate): Headers {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetAt),
  }
}

export function createResponder({
  corsOrigins,
  publicUrl,
  isDraining,
}: {
  corsOrigins: CorsOrigins
  publicUrl: string | undefined
  isDraining: () => boolean
}) {
  /** Puts the three rate headers on the response, and hands the window on. */
  function rate(reply: FastifyReply, window: Rate): Rate {
    reply.headers(rateHeaders(window))
    return window
  }

  /** What every response has besides the rate. */
  function common(reply: FastifyReply): FastifyReply {
    reply.headers(corsHeaders(corsOrigins, reply.request.headers.origin)).header('x-request-id', reply.request.id)
    // A connection that stays open would outlive the server it talks to.
    if (isDraining()) reply.header('connection', 'close')
    return reply
  }

  /** Everything is known, so it is written at once, past the steps by which Fastify finds out what it was given. */
  function success(reply: FastifyReply, endpoint: Endpoint, body: string | Buffer | undefined, own?: Headers): void {
    const headers = { ...common(reply).getHeaders(), ...endpoint.headers, ...own } as OutgoingHttpHeaders
    if (body !== undefined) {
      headers['content-type'] = endpoint.produces ? TEXT_TYPE : JSON_TYPE
      headers['content-length'] = String(Buffer.byteLength(body))
    }
    reply.hijack()
    reply.raw.writeHead(endpoint.status, headers).end(body)
  }

  /** An object is sent as JSON, a text as it is. */
  function failure(reply: FastifyReply, { code, status, extras }: Failure, body: object | string): void {
    common(reply).code(status)
    if (code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer')
    if (extras['retryAfterSeconds'] !== undefined) reply.header('retry-after', String(extras['retryAfterSeconds']))
    if (Array.isArray(extras['allow'])) reply.header('allow', extras['allow'].join(', '))
    if (typeof body === 'string') reply.header('content-type', TEXT_TYPE).send(body)
    else reply.header('content-type', JSON_TYPE).send(JSON.stringify(body))
  }

  function file(reply: FastifyReply, { contentType, body, headers = {} }: PublicFile): void {
    common(reply).headers(headers).header('content-type', contentType).send(body)
  }

  /** Under which origin the caller reaches us: the configured one, else what the request says. */
  function originOf(request: FastifyRequest): string {
    return publicUrl ?? `${request.protocol}://${request.host}`
  }

  return { rate, common, success, failure, file, originOf }
}
