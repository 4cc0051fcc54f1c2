import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { Failure } from '@coffer/contract'
import fastify, { type FastifyInstance } from 'fastify'
import type { ConnectionLimits, Connections } from './connections.ts'
import { type CorsOrigins, corsHeaders } from './cors.ts'
import type { Gates } from './gates.ts'
import { rateHeaders } from './respond.ts'

const KEEP_ALIVE_MS = 72_000

type HttpServerContext = {
  connections: Connections
  limits: ConnectionLimits
  gates: Gates
  corsOrigins: CorsOrigins
  trustProxy: boolean | string[]
  nextId(): string
}

const BODY_LIMIT_BYTES = 256 * 1024
/** Longer than any request line: every path reaches its own route's refusal. */
const MAX_PARAM_LENGTH = 65_536

export function fastifyServer(context: HttpServerContext): FastifyInstance {
  const app = fastify({
    logger: false,
    trustProxy: context.trustProxy,
    bodyLimit: BODY_LIMIT_BYTES,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    genReqId: context.nextId,
    rewriteUrl: (request) => decodable(request.url ?? '/'),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    serverFactory: (listener) => httpServer(listener, context),
    // `httpServer` handles client errors.
    clientErrorHandler: () => undefined,
  })
  readJsonBodies(app)
  return app
}

/** Node would refuse a missing `Host` and an unknown `Expect` without a body or our headers. */
function httpServer(listener: RequestListener, context: HttpServerContext): Server {
  const { receiveMs, stallMs } = context.limits
  const server = createServer(
    {
      requireHostHeader: false,
      // Two Authorization or Host headers join into an invalid one.
      joinDuplicateHeaders: true,
      requestTimeout: receiveMs,
      headersTimeout: receiveMs,
      connectionsCheckingInterval: Math.ceil(receiveMs / 15),
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    listener,
  )
  server.setTimeout(stallMs)
  context.connections.guard(server)
  server.on('checkExpectation', listener)
  server.on('clientError', (error, socket) => void answerParserError(context, error, socket as Socket))
  return server
}

/** Lets the path's own route refuse broken percent-encoding in its envelope. */
function decodable(url: string): string {
  if (!url.includes('%')) return url
  const queryAt = url.indexOf('?')
  const path = queryAt === -1 ? url : url.slice(0, queryAt)
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length)
  }
}

// Refuses invalid UTF-8 and byte order marks.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** An empty body counts as none. `__proto__` stays a plain property, which no schema takes over. */
function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, body.length === 0 ? undefined : JSON.parse(utf8.decode(body)))
    } catch {
      done(new Failure('VALIDATION_ERROR', 'The body is not valid JSON'))
    }
  })
}

const PARSER_ERRORS: Readonly<Record<string, [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The request is too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive'],
}

const LINGER_MS = 2_000

/** The connection ends even if the client does not read. */
async function answerParserError(
  { gates, corsOrigins, nextId }: HttpServerContext,
  error: NodeJS.ErrnoException,
  socket: Socket,
): Promise<void> {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const lingering = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(lingering))
  const [status, message] = PARSER_ERRORS[error.code ?? ''] ?? [400, 'The request could not be read']
  const body = JSON.stringify({ error: STATUS_CODES[status], message })
  const headers = {
    ...rateHeaders(await gates.limitAnonymous(socket.remoteAddress ?? '')),
    ...corsHeaders(corsOrigins, undefined),
    'x-request-id': nextId(),
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}
