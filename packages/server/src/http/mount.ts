import type { Bucket, Endpoint, RequestOf, ResponseOf } from '@coffer/contract'
import { Failure } from '@coffer/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '../lib/logger.ts'
import type { RouteMetrics } from '../lib/metrics.ts'
import { type Access, authorize } from './authorize.ts'
import type { Headers } from './cors.ts'
import type { Deadlines } from './deadlines.ts'
import { asBodyFailure, asFailure, errorBody } from './error-body.ts'
import { createInputReader, type Input } from './input.ts'
import type { Load } from './load.ts'
import type { Responder } from './respond.ts'

/** Who calls: the account that pays, the key it used, and what it may use. */
export type Caller = Access & {
  readonly accountId: string
  readonly keyId: string
  /** Requests per window and bucket where the operator raised them for this key. */
  readonly rateLimits: Readonly<Partial<Record<Bucket, number>>>
}

/** A rate window after a request was counted in it: what the three headers say, and whether the request may go on. */
export type Rate = {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Unix seconds at which the window ends, rounded up. */
  readonly resetAt: number
  /** At least 1 on a refusal; after so many whole seconds the next request is admitted. */
  readonly retryAfterSeconds: number
}

/** Credits taken off what is available while work is done. Exactly one of the two ends it; one that is never ended expires. */
type Hold = { post(): Promise<void>; giveBack(): Promise<void> }

/**
 * What the pipeline asks before it serves. A gate refuses with a `Failure`, and with OVERLOADED when it cannot decide
 * (its database is away): credits fail closed. Rates never fail: without their store they are counted in memory.
 */
export type Gates = {
  /** The caller behind an `Authorization` header; UNAUTHORIZED for any that is not exactly one valid key. */
  authenticate(authorization: string | undefined): Caller | Promise<Caller>
  /** Counts a request of a key in a bucket; a refused one is not counted. */
  limit(caller: Caller, bucket: Bucket): Rate | Promise<Rate>
  /** Counts a request without a valid key by its IP address. */
  limitAnonymous(ip: string): Rate | Promise<Rate>
  /** The window of an IP address, without counting. */
  peekAnonymous(ip: string): Rate | Promise<Rate>
  /** Charges for an answer that is already there. Durable once resolved; INSUFFICIENT_CREDITS writes nothing. */
  charge(caller: Caller, cost: number, requestId: string): Promise<void>
  /** Holds credits for work that may still fail. Durable once resolved; INSUFFICIENT_CREDITS writes nothing. */
  hold(caller: Caller, cost: number, requestId: string): Promise<Hold>
}

/** What a handler receives: the parsed request, who asks, and under which name. */
type HandlerRequest<E extends Endpoint> = RequestOf<E> & {
  readonly caller: Caller
  readonly requestId: string
  /** Credits that the call costs. */
  readonly cost: number
  /** Scheme and authority under which the caller reaches the service, e.g. `https://coffer.example`; for absolute URLs. */
  readonly origin: string
}

/**
 * The response as the contract types it, or its JSON already written (a cached body, exact decimals as numbers); with its
 * headers where the endpoint has some that vary.
 */
type Answer<E extends Endpoint> = E extends { varyingHeaders: infer H extends Required<Endpoint>['varyingHeaders'] }
  ? { body: ResponseOf<E>; headers: { readonly [N in keyof H]: H[N][number] } }
  : ResponseOf<E> | Buffer

type Handle<E extends Endpoint> = (request: HandlerRequest<E>) => Answer<E> | Promise<Answer<E>>

/**
 * The work of one endpoint: a function; one with steps before it where the order of refusals or speed asks for it; or one
 * that pays for itself.
 */
type Handler<E extends Endpoint> =
  | Handle<E>
  | {
      /** Takes the cost together with what it does: neither without the other. INSUFFICIENT_CREDITS comes before all else. */
      transact: Handle<E>
    }
  | {
      /** After the input is valid and before the charge: refuses by throwing what must cost nothing (404 of a chain key, 403). */
      prepare?(request: HandlerRequest<E>): void | Promise<void>
      /** The complete answer if it is in memory: charged at once, no hold. `undefined`: the work is done by `handle`. */
      fresh?(request: HandlerRequest<E>): Answer<E> | undefined
      /** The work. Credits are held around it and given back when it throws. */
      handle: Handle<E>
    }

/** One handler for each endpoint of a table; a missing one does not compile. */
export type Handlers<T extends Readonly<Record<string, Endpoint>>> = { readonly [K in keyof T]: Handler<T[K]> }

/** What the pipeline stands on. */
export type Pipeline = {
  gates: Gates
  load: Load
  deadlines: Deadlines
  respond: Responder
  logger: Logger
  metrics: { route(name: string): RouteMetrics }
}

type AnyRequest = Input & { caller: Caller; requestId: string; cost: number; origin: string }
type Steps = Pick<Route, 'prepare' | 'fresh' | 'handle'> | { transact: Route['handle'] }
type Route = {
  name: string
  endpoint: Endpoint
  metrics: RouteMetrics
  read(request: FastifyRequest): Input
  prepare?(request: AnyRequest): void | Promise<void>
  fresh?(request: AnyRequest): unknown
  handle(request: AnyRequest): unknown
  paysForItself: boolean
}

/** Serves every endpoint of the table through the one pipeline. */
export function mount<T extends Readonly<Record<string, Endpoint>>>(
  app: FastifyInstance,
  pipeline: Pipeline,
  endpoints: T,
  handlers: Handlers<T>,
): void {
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const handler = handlers[name] as Route['handle'] | Steps
    const steps = typeof handler === 'function' ? { handle: handler } : handler
    const paysForItself = 'transact' in steps
    const route: Route = {
      name,
      endpoint,
      metrics: pipeline.metrics.route(name),
      read: createInputReader(endpoint),
      ...(paysForItself ? { handle: steps.transact } : steps),
      paysForItself,
    }
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      handler: (request, reply) => {
        // The router takes an empty part for a parameter; a path that ends in a slash is another path.
        if (endpoint.params && hasEmptyPart(request.params)) reply.callNotFound()
        else void serve(pipeline, route, request, reply)
      },
      // Reached when the body could not be received: the refusal takes its turn in the order of checks.
      errorHandler: (thrown, request, reply) => void serve(pipeline, route, request, reply, asBodyFailure(thrown)),
    })
  }
}

function hasEmptyPart(params: unknown): boolean {
  return Object.values(params as object).includes('')
}

/** The one pipeline: what every request passes through, in this order. Whatever throws ends it with the route's envelope. */
async function serve(
  pipeline: Pipeline,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  bodyFault?: Failure,
): Promise<void> {
  const { gates, load, respond } = pipeline
  const { endpoint } = route
  const startedAt = performance.now()
  load.begin()
  try {
    const caller = await identify(pipeline, request, reply)
    admit(respond.rate(reply, await gates.limit(caller, endpoint.bucket)))
    load.admit(caller.keyId, endpoint.essential === true)
    authorize(caller, endpoint.requires)
    if (bodyFault) throw bodyFault
    const parsed = route.read(request)
    const cost = costOf(endpoint, parsed)
    const input = { ...parsed, caller, requestId: request.id, cost, origin: respond.originOf(request) }
    await route.prepare?.(input)
    const ready = route.fresh?.(input)
    if (ready === undefined) {
      respond.success(reply, endpoint, ...(await work(pipeline, route, input)))
    } else {
      const written = write(endpoint, ready)
      if (cost > 0) await gates.charge(caller, cost, input.requestId)
      respond.success(reply, endpoint, ...written)
    }
  } catch (thrown) {
    refuse(pipeline, route, request, reply, thrown)
  } finally {
    load.end()
    route.metrics.observe(reply.statusCode, performance.now() - startedAt)
  }
}

/** The caller, or the refusal of one who has no valid key, counted by IP address. */
async function identify({ gates, respond }: Pipeline, request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
  try {
    return await gates.authenticate(request.headers.authorization)
  } catch (thrown) {
    admit(respond.rate(reply, await gates.limitAnonymous(request.ip)))
    throw thrown
  }
}

function admit({ allowed, limit, retryAfterSeconds }: Rate): void {
  if (allowed) return
  throw new Failure('RATE_LIMITED', `Rate limit of ${limit} requests per minute exceeded`, { retryAfterSeconds })
}

function costOf({ cost }: Endpoint, input: Input): number {
  return typeof cost === 'number' ? cost : cost(input as never)
}

/**
 * Does the work with its credits held, unless it takes them itself: posted before the answer leaves, given back when the
 * work fails or takes too long. A client that has gone meanwhile changes nothing.
 */
async function work({ gates, load, deadlines, logger }: Pipeline, route: Route, input: AnyRequest): Promise<Written> {
  const { caller, requestId, cost } = input
  const handle = async () => write(route.endpoint, await route.handle(input))
  const hold = cost > 0 && !route.paysForItself ? await gates.hold(caller, cost, requestId) : undefined
  load.enterWork(caller.keyId)
  try {
    const written = await deadlines.within(handle)
    await hold?.post()
    return written
  } catch (thrown) {
    await hold?.giveBack().catch((err) => logger.error({ err, requestId }, 'credits not given back; the hold expires'))
    throw thrown
  } finally {
    load.leaveWork(caller.keyId)
  }
}

/** The body as it is sent, and the headers that go with it alone. */
type Written = [body: string | Buffer | undefined, headers?: Headers]

function write({ varyingHeaders }: Endpoint, answer: unknown): Written {
  if (varyingHeaders) {
    const { body, headers } = answer as { body: unknown; headers: Headers }
    return [JSON.stringify(body), headers]
  }
  return [answer === undefined || Buffer.isBuffer(answer) ? answer : JSON.stringify(answer)]
}

/** Answers with the failure in the route's envelope; its detail goes to the log alone, loudly when it is our fault. */
function refuse(
  { respond, logger }: Pipeline,
  { name, endpoint }: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
): void {
  const failure = asFailure(thrown)
  const where = { endpoint: name, requestId: request.id }
  if (failure.status === 500) logger.error({ ...where, err: thrown }, 'request failed')
  else if (failure.status > 500) logger.warn(where, `not answered: ${detailOf(thrown)}`)
  respond.failure(reply, failure, errorBody(endpoint.errors, failure))
}

/** An overload's cause is what the operator wants to know. */
function detailOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  return thrown.cause instanceof Error ? `${thrown.message} (${thrown.cause.message})` : thrown.message
}
