import { randomBytes } from 'node:crypto'
import { type Endpoint, Failure } from '@coffer/contract'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from '../lib/logger.ts'
import type { Metrics } from '../lib/metrics.ts'
import { addReference } from './api-reference.ts'
import { BODY_LIMIT_BYTES, readJsonBodies } from './body-parser.ts'
import type { CorsOrigins } from './cors.ts'
import { createDeadlines, type Deadlines } from './deadlines.ts'
import { errorBody } from './error-body.ts'
import { createLoad, type Load, type LoadLimits } from './load.ts'
import { type Gates, type Handlers, mount } from './mount.ts'
import { openApiDocument } from './openapi.ts'
import { createParserErrorHandler } from './parser-errors.ts'
import { createResponder, type PublicFile, type Responder } from './respond.ts'
import { createUnrouted } from './unrouted.ts'

/** Hard limit of a request's work, in ms. */
const REQUEST_LIMIT_MS = 40_000
/** How long a client may take to send a request, in ms. */
const RECEIVE_LIMIT_MS = 30_000
/** Longer than any request line that the HTTP parser lets through, so that every path reaches its own route's refusal. */
const MAX_PARAM_LENGTH = 65_536

const DEFAULT_LOAD: LoadLimits = { inFlight: 1_000, workPerKey: 20, eventLoopDelayMs: 250 }

/** Something served to everyone without a key: `read` finds the file for the parts of the path, or there is none. */
type PublicRoute = {
  path: `/${string}`
  read(params: Readonly<Record<string, string>>): PublicFile | undefined | Promise<PublicFile | undefined>
}

export type AppOptions<T extends Readonly<Record<string, Endpoint>>> = {
  endpoints: T
  handlers: Handlers<T>
  gates: Gates
  logger: Logger
  metrics: Metrics
  publicRoutes?: readonly PublicRoute[]
  corsOrigins?: CorsOrigins
  /** Origin under which clients reach the service; without it, what each request says. */
  publicUrl?: string | undefined
  /** Whose `X-Forwarded-*` is believed: none, all (`true`), or the proxies at these addresses. */
  trustProxy?: boolean | string[]
  loadLimits?: Partial<LoadLimits>
  /** Mean delay of the event loop in ms, when asked. */
  eventLoopDelayMs?: () => number
  requestLimitMs?: number
}

/** The service over HTTP, not yet listening, and the two things a shutdown needs of it. */
export type Service = { app: FastifyInstance; load: Load; deadlines: Deadlines }

/** Builds the service from a table of endpoints, their handlers and the gates before them. */
export async function createApp<T extends Readonly<Record<string, Endpoint>>>(
  options: AppOptions<T>,
): Promise<Service> {
  const { endpoints, handlers, gates, logger, metrics, publicRoutes = [], corsOrigins = '*' } = options
  const load = createLoad({
    limits: { ...DEFAULT_LOAD, ...options.loadLimits },
    eventLoopDelayMs: options.eventLoopDelayMs ?? (() => 0),
  })
  const deadlines = createDeadlines({ limitMs: options.requestLimitMs ?? REQUEST_LIMIT_MS })
  const respond = createResponder({ corsOrigins, publicUrl: options.publicUrl, isDraining: load.isDraining })
  const app = createServer(options, createParserErrorHandler({ gates, corsOrigins }))
  readJsonBodies(app)
  mount(app, { gates, load, deadlines, respond, logger, metrics }, endpoints, handlers)

  const document = Buffer.from(JSON.stringify(openApiDocument(endpoints)))
  const files: PublicRoute[] = [
    { path: '/openapi.json', read: () => ({ contentType: 'application/json; charset=utf-8', body: document }) },
    ...publicRoutes,
  ]
  for (const route of files) mountPublic(app, route, gates, respond)
  await addReference(app, { gates, respond })

  const routes = [
    ...Object.values(endpoints),
    ...files.map(({ path }) => ({ method: 'GET', path })),
    { method: 'GET', path: '/docs' },
    { method: 'GET', path: '/docs/' },
    { method: 'GET', path: '/docs/js/scalar.js' },
  ]
  const answerUnrouted = createUnrouted({ routes, gates, respond })
  app.setNotFoundHandler(answerUnrouted)
  app.setErrorHandler((thrown, request, reply) => {
    if (request.is404) return answerUnrouted(request, reply)
    return answerBug(thrown, request, reply, respond, logger)
  })
  return { app, load, deadlines }
}

function createServer(
  { trustProxy = false }: { trustProxy?: boolean | string[] },
  clientErrorHandler: ReturnType<typeof createParserErrorHandler>,
): FastifyInstance {
  const instance = randomBytes(6).toString('base64url')
  let requests = 0
  return fastify({
    logger: false,
    trustProxy,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: RECEIVE_LIMIT_MS,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    genReqId: () => {
      requests += 1
      return `${instance}-${requests.toString(36)}`
    },
    rewriteUrl: (request) => decodable(request.url ?? '/'),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // Two Authorization headers become one that is no valid key, rather than the first of them.
    http: { joinDuplicateHeaders: true },
    clientErrorHandler: (error, socket) => void clientErrorHandler(error, socket),
  })
}

/** A path with broken percent-encoding is taken literally, so that it is refused by its own route and in its envelope. */
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

function mountPublic(app: FastifyInstance, route: PublicRoute, gates: Gates, respond: Responder): void {
  app.get(route.path, async (request, reply) => {
    respond.rate(reply, await gates.peekAnonymous(request.ip))
    const file = await route.read(request.params as Record<string, string>)
    if (file) {
      respond.file(reply, file)
      return reply
    }
    const failure = new Failure('NOT_FOUND', 'No such file')
    respond.failure(reply, failure, errorBody('titled', failure))
    return reply
  })
}

function answerBug(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  respond: Responder,
  logger: Logger,
): void {
  logger.error({ err: thrown, requestId: request.id }, 'request failed')
  const failure = new Failure('INTERNAL_ERROR', 'Something went wrong on our side')
  respond.failure(reply, failure, errorBody('titled', failure))
}
