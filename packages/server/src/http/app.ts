import { randomBytes } from 'node:crypto'
import { type Bucket, type Endpoint, eventMessages, eventStream, Failure, type Requirement } from '@coffer/contract'
import { EVENTS_PATH, type PortalEndpoint, type PortalRequirement } from '@coffer/contract/portal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from '../lib/logger.ts'
import type { GaugeSource, Metrics } from '../lib/metrics.ts'
import { referenceRoutes } from './api-reference.ts'
import { authorize } from './authorize.ts'
import { type ConnectionLimits, type Connections, createConnections } from './connections.ts'
import type { CorsOrigins } from './cors.ts'
import { createDeadlines, type Deadlines } from './deadlines.ts'
import { docsRoutes } from './docs/docs-routes.ts'
import { errorBody } from './error-body.ts'
import { type EventSource, mountEvents } from './event-streams.ts'
import type { Caller, DoorRequest, Gates, PortalCaller, Rate } from './gates.ts'
import { fastifyServer } from './http-server.ts'
import { createLoad, type Load, type LoadLimits } from './load.ts'
import { type Door, type Handlers, type HttpContext, mount, type Usage } from './mount.ts'
import { MCP_PATHS, mountMcp } from './mount-mcp.ts'
import { openApiDocument, readExamples } from './openapi.ts'
import { createOrigins } from './origin.ts'
import { mountPublic, type PublicRoute } from './public-files.ts'
import { createResponder } from './respond.ts'
import type { PublicFile } from './static-file.ts'
import { answerUnrouted, patternOf } from './unrouted.ts'

const REQUEST_LIMIT_MS = 40_000

const DEFAULT_LOAD: LoadLimits = {
  inFlight: 1_000,
  workPerKey: 20,
  workPerAccount: 40,
  filesPerAccount: 3,
  files: 12,
  eventLoopDelayMs: 250,
}
const DEFAULT_CONNECTIONS: ConnectionLimits = { total: 5_000, perAddress: 500, receiveMs: 30_000, stallMs: 15_000 }
const DOCUMENT_HEADERS = { 'cache-control': 'public, max-age=300' }

export type AppOptions<T extends Readonly<Record<string, Endpoint>>> = {
  endpoints: T
  handlers: Handlers<T>
  gates: Gates
  logger: Logger
  metrics: Metrics
  usage?: Usage
  publicRoutes?: readonly PublicRoute[]
  events?: EventSource<Caller>
  portal?: PortalDoor | undefined
  docs?: boolean
  corsOrigins?: CorsOrigins
  /** Defaults to the origin of each request. */
  publicUrl?: string | undefined
  /** Trusts no `X-Forwarded-*` (`false`), all (`true`), or those of proxies at these addresses. */
  trustProxy?: boolean | string[]
  loadLimits?: Partial<LoadLimits>
  connectionLimits?: Partial<ConnectionLimits>
  eventLoopDelayMs?: () => number
  requestLimitMs?: number
  wait?: (ms: number) => Promise<unknown>
  isUnavailable?: (thrown: unknown) => boolean
}

type PortalDoor = {
  endpoints: Readonly<Record<string, PortalEndpoint>>
  handlers: Readonly<Record<string, unknown>>
  identify(request: DoorRequest): Promise<PortalCaller>
  limit(caller: PortalCaller, bucket: Bucket): Rate | Promise<Rate>
  /** Checks the user's rights, not the account's. */
  authorize(caller: PortalCaller, requires: PortalRequirement): void
  priceOf: Required<Door<PortalCaller, PortalRequirement>>['priceOf']
  events: EventSource<PortalCaller>
}

export type Service = { app: FastifyInstance; load: Load; deadlines: Deadlines; connections: Connections }

export async function createApp<T extends Readonly<Record<string, Endpoint>>>(
  options: AppOptions<T>,
): Promise<Service> {
  const { endpoints, handlers, gates, logger, metrics, publicRoutes = [], docs = true, corsOrigins = '*' } = options
  const { portal, events, trustProxy = false, isUnavailable = () => false } = options
  const load = createLoad({
    limits: { ...DEFAULT_LOAD, ...options.loadLimits },
    eventLoopDelayMs: options.eventLoopDelayMs ?? (() => 0),
    ...(options.wait && { wait: options.wait }),
  })
  const deadlines = createDeadlines({ limitMs: options.requestLimitMs ?? REQUEST_LIMIT_MS })
  const respond = createResponder(corsOrigins, load.isDraining)
  const closed = createResponder([], load.isDraining)
  const origins = createOrigins(options.publicUrl, trustProxy)
  const nextId = createRequestIds()
  const limits = { ...DEFAULT_CONNECTIONS, ...options.connectionLimits }
  const connections = createConnections(limits, trustProxy, logger)
  const app = fastifyServer({ connections, limits, gates, corsOrigins, trustProxy, nextId })
  const door: Door<Caller, Requirement> = {
    identify: ({ headers }) => gates.authenticate(headers.authorization),
    limit: gates.limit,
    authorize,
  }
  const { usage } = options
  const context = { door, gates, load, deadlines, respond, origins, logger, metrics, usage, isUnavailable }
  mount(app, context, endpoints, handlers)
  mountMcp(app, context, endpoints)
  if (events) mountEvents(app, context, eventStream, events)
  if (portal) mountPortal(app, { ...context, respond: closed, usage: undefined }, portal)

  const files: PublicRoute[] = [
    { path: '/openapi.json', read: () => openApiFile(endpoints, events !== undefined) },
    ...(docs ? [...docsRoutes({ isHome: !publicRoutes.some(({ path }) => path === '/') }), ...referenceRoutes()] : []),
    ...publicRoutes,
  ]
  for (const route of files) {
    mountPublic(app, route, 'sameOrigin' in route ? { ...context, respond: closed } : context)
  }

  const answered = [
    ...Object.values(endpoints),
    ...Object.values(portal?.endpoints ?? {}),
    ...files.map(({ path }) => ({ method: 'GET', path })),
  ]
  const routes = [
    ...answered.flatMap(({ method, path }) =>
      (method === 'GET' ? ['GET', 'HEAD'] : [method]).map((each) => ({ method: each, path })),
    ),
    ...(events ? [eventStream] : []),
    ...(portal ? [{ method: 'GET', path: EVENTS_PATH }] : []),
    ...MCP_PATHS.map((path) => ({ method: 'POST', path })),
  ].map(({ method, path }) => ({ method, pattern: patternOf(path) }))
  const unrouted = { ...context, closed, routes }
  app.setNotFoundHandler((request, reply) => answerUnrouted(unrouted, request, reply))
  app.setErrorHandler((thrown, request, reply) => {
    if (request.is404) return void answerUnrouted(unrouted, request, reply)
    logger.error({ err: thrown, requestId: request.id }, 'unexpected error: the request was answered 500')
    const failure = new Failure('INTERNAL_ERROR', 'Something went wrong on our side')
    respond.failure(reply, failure, errorBody('titled', failure))
  })
  return { app, load, deadlines, connections }
}

function openApiFile(endpoints: Readonly<Record<string, Endpoint>>, sendsEvents: boolean): PublicFile {
  const described = sendsEvents ? { ...endpoints, streamEvents: eventStream } : endpoints
  const document = openApiDocument(described, readExamples(), sendsEvents ? eventMessages : {})
  return {
    contentType: 'application/json; charset=utf-8',
    body: Buffer.from(JSON.stringify(document)),
    headers: DOCUMENT_HEADERS,
  }
}

/** Other origins may not read the portal's answers: no CORS headers. */
function mountPortal(
  app: FastifyInstance,
  shared: Omit<HttpContext<PortalCaller, PortalRequirement>, 'door'>,
  { endpoints, handlers, identify, limit, authorize: authorizeUser, priceOf, events }: PortalDoor,
): void {
  // Pages, cookies and passkeys belong to an origin, whatever path the public URL has.
  const origins = { ...shared.origins, of: (request: FastifyRequest) => shared.origins.site(request).origin }
  const door: Door<PortalCaller, PortalRequirement> = {
    identify: (request) => {
      const { headers, method, params, ip } = request
      return identify({ headers, method, params, ip, site: origins.site(request) })
    },
    limit,
    priceOf,
    authorize(caller, requires) {
      authorizeUser(caller, requires)
      if (requires.access) authorize(caller, requires.access)
    },
  }
  const context = { ...shared, origins, door }
  mount(app, context, endpoints, handlers as never)
  mountEvents(app, context, { path: EVENTS_PATH, requires: { who: 'viewer' }, errors: 'problem' }, events)
}

function createRequestIds(): () => string {
  const instance = randomBytes(6).toString('base64url')
  let requests = 0
  return () => {
    requests += 1
    return `${instance}-${requests.toString(36)}`
  }
}

export function httpGauges({ load, connections }: Service): GaugeSource[] {
  return [
    { name: 'coffer_http_in_flight', help: 'Requests being served', read: load.inFlight },
    { name: 'coffer_http_connections', help: 'Open client connections', read: connections.count },
    {
      name: 'coffer_http_connections_refused',
      help: 'Connections refused since the start: COFFER_MAX_CONNECTIONS or COFFER_MAX_CONNECTIONS_PER_ADDRESS was reached',
      read: connections.refused,
    },
  ]
}
