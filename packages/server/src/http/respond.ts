import type { AnyEndpoint, Failure, FileAnswer } from '@coffer/contract'
import type { FastifyReply } from 'fastify'
import { type CorsOrigins, corsHeaders, type Headers } from './cors.ts'
import type { Rate } from './gates.ts'
import { compressed, encodingFor, isKnown, type StaticFile } from './static-file.ts'

const WORTH_COMPRESSING_BYTES = 1_000
const JSON_TYPE = 'application/json; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'
/** RFC 9457. */
const PROBLEM_TYPE = 'application/problem+json'

const PRIVATE: Headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

export type Responder = ReturnType<typeof createResponder>

export function rateHeaders({ limit, remaining, resetAt }: Rate): Headers {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetAt),
  }
}

export function createResponder(corsOrigins: CorsOrigins, isDraining: () => boolean) {
  const fixedLines = new Map<AnyEndpoint, readonly string[]>()

  function headLines({ request }: FastifyReply, endpoint: AnyEndpoint, window: Rate, own: Headers = {}): string[] {
    const fixed = fixedLines.get(endpoint) ?? linesOf(fixedHeaders(endpoint, corsOrigins))
    fixedLines.set(endpoint, fixed)
    const lines = [...fixed, ...linesOf(rateHeaders(window)), 'x-request-id', request.id]
    if (corsOrigins !== '*') lines.push(...linesOf(corsHeaders(corsOrigins, request.headers.origin)))
    lines.push(...linesOf(own))
    if (isDraining()) lines.push('connection', 'close')
    return lines
  }

  function rate(reply: FastifyReply, window: Rate): Rate {
    reply.headers(rateHeaders(window))
    return window
  }

  function common(reply: FastifyReply): FastifyReply {
    reply.headers(corsHeaders(corsOrigins, reply.request.headers.origin)).header('x-request-id', reply.request.id)
    // An open connection would outlive its server.
    if (isDraining()) reply.header('connection', 'close')
    return reply
  }

  function success(
    reply: FastifyReply,
    endpoint: AnyEndpoint,
    window: Rate,
    body: string | Buffer | undefined,
    own?: Headers,
  ): void {
    const lines = headLines(reply, endpoint, window, own)
    reply.hijack()
    sendBody(reply, endpoint, lines, body)
  }

  function beginFile(
    reply: FastifyReply,
    endpoint: AnyEndpoint,
    window: Rate,
    { type, name, isComplete }: FileAnswer,
    own?: Headers,
  ): void {
    const lines = headLines(reply, endpoint, window, own)
    lines.push('content-type', `${type}; charset=utf-8`, 'content-disposition', `attachment; filename="${name}"`)
    if (isComplete !== undefined) lines.push('x-data-complete', String(isComplete))
    reply.hijack()
    reply.raw.writeHead(endpoint.status, lines)
  }

  function failure(reply: FastifyReply, failure: Failure, body: object | string): void {
    common(reply).headers(PRIVATE).headers(failureHeaders(failure)).code(failure.status)
    if (typeof body === 'string') return void reply.header('content-type', TEXT_TYPE).send(body)
    const isProblem = 'type' in body
    if (failure.code === 'UNAUTHORIZED' && !isProblem) reply.header('www-authenticate', 'Bearer')
    reply.header('content-type', isProblem ? PROBLEM_TYPE : JSON_TYPE).send(JSON.stringify(body))
  }

  function file(reply: FastifyReply, file: StaticFile): void {
    const { headers } = reply.request
    common(reply).headers(file.headers)
    const { encoding, body } = encodingFor(file, headers['accept-encoding'])
    const variesByOrigin = corsOrigins !== '*' && corsOrigins.length > 0
    const vary = [...(variesByOrigin ? ['Origin'] : []), ...(file.encodings.size > 1 ? ['Accept-Encoding'] : [])]
    if (vary.length > 0) reply.header('vary', vary.join(', '))
    if (isKnown(file, headers['if-none-match'])) reply.removeHeader('content-type').code(304).send()
    else if (encoding === 'identity') reply.send(body)
    else reply.header('content-encoding', encoding).send(body)
  }

  function redirect(reply: FastifyReply, path: string): void {
    common(reply).redirect(path, 301)
  }

  return { rate, common, success, beginFile, failure, file, redirect }
}

function sendBody(
  { raw, request }: FastifyReply,
  { status, produces }: AnyEndpoint,
  lines: string[],
  body: string | Buffer | undefined,
): void {
  const send = (sent: string | Buffer | undefined) => {
    if (sent !== undefined) lines.push('content-length', String(Buffer.byteLength(sent)))
    raw.writeHead(status, lines).end(sent)
  }
  if (body === undefined || produces || body.length < WORTH_COMPRESSING_BYTES) return void send(body)
  lines.push('vary', 'Accept-Encoding')
  const accepted = request.headers['accept-encoding']
  if (accepted === undefined) return void send(body)
  void compressed(body, accepted).then(
    ({ encoding, body: smaller }) => {
      if (encoding !== 'identity') lines.push('content-encoding', encoding)
      send(smaller)
    },
    // A compressor without memory must not cost the answer, or the process.
    () => send(body),
  )
}

function failureHeaders({ extras: { retryAfterSeconds, allow } }: Failure): Headers {
  return {
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    ...(Array.isArray(allow) && { allow: allow.join(', ') }),
  }
}

function fixedHeaders({ status, streams, produces, headers = {} }: AnyEndpoint, corsOrigins: CorsOrigins): Headers {
  const declared = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return {
    ...PRIVATE,
    ...(status !== 204 && !streams && { 'content-type': produces ? TEXT_TYPE : JSON_TYPE }),
    ...(corsOrigins === '*' && corsHeaders(corsOrigins, undefined)),
    ...Object.fromEntries(declared),
  }
}

const linesOf = (headers: Headers): string[] => Object.entries(headers).flat()
