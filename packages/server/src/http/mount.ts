import type { AnyEndpoint, Bucket, Endpoint, FileAnswer, RequestOf, ResponseOf } from '@coffer/contract'
import { Failure } from '@coffer/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onBehalfOf } from '../lib/fair-gate.ts'
import type { Logger } from '../lib/logger.ts'
import type { RouteMetrics } from '../lib/metrics.ts'
import { createSampledWarn } from '../lib/sampled-log.ts'
import type { Headers } from './cors.ts'
import type { Deadline, Deadlines } from './deadlines.ts'
import { asBodyFailure, asFailure, errorBody } from './error-body.ts'
import { type OpenFile, openFile, sendFile } from './file-answer.ts'
import type { Caller, Gates, Payment, Rate } from './gates.ts'
import { createInputReader, type Input } from './input.ts'
import type { Load } from './load.ts'
import type { Origins } from './origin.ts'
import { createQueryNames, ignoredHeader } from './query-names.ts'
import type { Responder } from './respond.ts'

/** What a handler receives: the parsed request, who asks, and under which name. */
type HandlerRequest<E extends AnyEndpoint, C> = RequestOf<E> & {
  readonly caller: C
  readonly requestId: string
  /** Credits that the call costs. */
  readonly cost: number
  /** Where a handler that charges by itself puts what it took; undefined for any other. */
  readonly taken: Taken | undefined
  /** Scheme and authority under which the caller reaches the service, e.g. `https://coffer.example`; for absolute URLs. */
  readonly origin: string
}

/**
 * The response as the contract types it, or its JSON already written (a cached body, exact decimals as numbers); with its
 * headers where the endpoint has some that vary.
 */
type Answer<E extends AnyEndpoint> = E extends { streams: readonly unknown[] }
  ? FileAnswer
  : E extends { varyingHeaders: infer H extends Required<Endpoint>['varyingHeaders'] }
    ? { body: ResponseOf<E> | Buffer; headers: { readonly [N in keyof H]: H[N][number] } }
    : E extends { setsCookie: true }
      ? { body: ResponseOf<E>; headers: { readonly 'set-cookie': string } }
      : ResponseOf<E> | Buffer

/** Credits that a call has taken so far. */
type Taken = { credits: number }

type Handle<E extends AnyEndpoint, C> = (request: HandlerRequest<E, C>) => Answer<E> | Promise<Answer<E>>

/**
 * The work of one endpoint: a function; one with steps before it, for the order of refusals or for speed; or one that
 * charges by itself.
 */
type Handler<E extends AnyEndpoint, C> =
  | Handle<E, C>
  | {
      /** Charges and works in one transaction. INSUFFICIENT_CREDITS comes before other refusals. */
      transact: Handle<E, C>
    }
  | {
      /** Runs on valid input, before the charge. Throws refusals that cost nothing (404 of a chain key, 403). */
      prepare?(request: HandlerRequest<E, C>): void | Promise<void>
      /** The complete answer if it is in memory: charged at once, no hold. `undefined`: the work is done by `handle`. */
      fresh?(request: HandlerRequest<E, C>): Answer<E> | undefined
      /** The work. Credits are held around it and given back when it throws. */
      handle: Handle<E, C>
    }

/** One handler for each endpoint of a table; a missing one does not compile. */
export type Handlers<T extends Readonly<Record<string, AnyEndpoint>>, C = Caller> = {
  readonly [K in keyof T]: Handler<T[K], C>
}

/** One of the ways into the service: who calls, how often it may, and what. */
export type Door<C extends Caller, R> = {
  /** UNAUTHORIZED, or another refusal, for a request that is not let in. */
  identify(request: FastifyRequest): C | Promise<C>
  limit(caller: C, bucket: Bucket): Rate | Promise<Rate>
  /** Refuses a caller that lacks what the endpoint needs. */
  authorize(caller: C, requires: R): void
  /** Credits of a call with a `keyCost`, of which it would cost `worth` with a key; without it such calls are free. */
  priceOf?(caller: C, worth: number, input: Input): Promise<number>
}

/** Counts the calls of one endpoint by caller and status; `credits` that it took. In memory: it takes no time. */
type RouteUsage = (caller: Caller, status: number, credits: number) => void

export type Usage = { route(name: string): RouteUsage }

/** What the pipeline stands on. */
export type MountParts<C extends Caller, R> = {
  door: Door<C, R>
  gates: Pick<Gates, 'limitAnonymous' | 'charge' | 'hold'>
  load: Load
  deadlines: Deadlines
  respond: Responder
  origins: Origins
  logger: Logger
  metrics: { route(name: string): RouteMetrics }
  /** Counts what callers used; left out where nobody pays. */
  usage?: Usage | undefined
  /** Whether the error means that the database is unavailable, so that the caller may retry. */
  isUnavailable(thrown: unknown): boolean
}

type Pipeline = MountParts<Caller, unknown> & { warn: ReturnType<typeof createSampledWarn> }

type AnyRequest = Input & { caller: Caller; requestId: string; cost: number; taken: Taken | undefined; origin: string }
type Steps = Pick<Route, 'prepare' | 'fresh' | 'handle'> | { transact: Route['handle'] }
type Route = {
  name: string
  endpoint: AnyEndpoint
  metrics: RouteMetrics
  countUse: RouteUsage | undefined
  namesOf: ReturnType<typeof createQueryNames>
  read(request: FastifyRequest): Input
  prepare?(request: AnyRequest): void | Promise<void>
  fresh?(request: AnyRequest): unknown
  handle(request: AnyRequest): unknown
  paysForItself: boolean
}

/** Serves every endpoint of the table through the one pipeline. */
export function mount<R, C extends Caller, T extends Readonly<Record<string, Endpoint<R, string>>>>(
  app: FastifyInstance,
  parts: MountParts<C, R>,
  endpoints: T,
  handlers: Handlers<T, C>,
): void {
  // The door's callers and requirements are the table's own, which its types have said.
  const pipeline = { ...(parts as unknown as MountParts<Caller, unknown>), warn: createSampledWarn(parts.logger) }
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const handler = handlers[name] as unknown as Route['handle'] | Steps
    const steps = typeof handler === 'function' ? { handle: handler } : handler
    const paysForItself = 'transact' in steps
    const namesOf = createQueryNames(endpoint)
    const route: Route = {
      name,
      endpoint,
      metrics: pipeline.metrics.route(name),
      countUse: pipeline.usage?.route(name),
      namesOf,
      read: createInputReader(endpoint, namesOf),
      ...(paysForItself ? { handle: steps.transact } : steps),
      paysForItself,
    }
    app.route({
      // HEAD is a GET without the body, charged alike.
      method: endpoint.method === 'GET' ? ['GET', 'HEAD'] : endpoint.method,
      url: endpoint.path,
      handler: (request, reply) => {
        // The router takes an empty part for a parameter; a path that ends in a slash is another path.
        if (endpoint.params && hasEmptyPart(request.params)) reply.callNotFound()
        else void serve(pipeline, route, request, reply)
      },
      // The body could not be received; the pipeline refuses it after key, rate, load and access.
      errorHandler: (thrown, request, reply) => void serve(pipeline, route, request, reply, asBodyFailure(thrown)),
    })
  }
}

function hasEmptyPart(params: unknown): boolean {
  return Object.values(params as object).includes('')
}

/**
 * The one pipeline: what every request passes through, in this order, all of it within one deadline. Whatever throws ends
 * it with the route's envelope.
 */
async function serve(
  pipeline: Pipeline,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  bodyFault?: Failure,
): Promise<void> {
  const { door, load, origins, respond } = pipeline
  const { endpoint } = route
  const startedAt = performance.now()
  const deadline = pipeline.deadlines.begin()
  let rate: Rate | undefined
  let caller: Caller | undefined
  let input: AnyRequest | undefined
  let isBroken = false
  load.begin()
  try {
    caller = await deadline.wait(identify(pipeline, request, reply))
    rate = await deadline.wait(door.limit(caller, endpoint.bucket))
    admit(rate)
    load.admit(caller, endpoint.essential === true)
    door.authorize(caller, endpoint.requires)
    if (bodyFault) throw bodyFault
    const parsed = route.read(request)
    const cost = await deadline.wait(priceOf(door, caller, endpoint, parsed))
    const taken = route.paysForItself ? { credits: 0 } : undefined
    input = { ...parsed, caller, requestId: request.id, cost, taken, origin: origins.of(request) }
    if (route.prepare) await deadline.wait(route.prepare(input))
    const out = { reply, window: rate, ignored: ignoredHeader(parsed.ignored) }
    isBroken = !(await answer(pipeline, route, input, deadline, out))
  } catch (thrown) {
    if (rate) respond.rate(reply, rate)
    refuse(pipeline, route, request, reply, thrown)
  } finally {
    deadline.end()
    load.end()
    const status = isBroken ? BROKEN : reply.statusCode
    route.metrics.observe(status, performance.now() - startedAt)
    if (caller) route.countUse?.(caller, status, creditsOf(status, input))
  }
}

type Out = { reply: FastifyReply; window: Rate; ignored: Headers | undefined }

/** Answers from memory, by work, or with a file. False: the file broke off. */
async function answer(
  pipeline: Pipeline,
  route: Route,
  input: AnyRequest,
  deadline: Deadline,
  { reply, window, ignored }: Out,
): Promise<boolean> {
  const { gates, respond } = pipeline
  const { endpoint } = route
  const succeed = ([body, own]: Written) =>
    respond.success(reply, endpoint, window, body, ignored ? { ...own, ...ignored } : own)
  if (endpoint.streams) {
    return stream(pipeline, route, input, deadline, (file, cut) => {
      respond.beginFile(reply, endpoint, window, file, ignored)
      return sendFile(reply.raw, file, cut)
    })
  }
  const ready = route.fresh?.(input)
  if (ready === undefined) {
    if (endpoint.failures?.includes(UPSTREAM_FAILED)) pipeline.load.admitReading()
    succeed(await work(pipeline, route, input, deadline))
    return true
  }
  const body = write(endpoint, ready)
  const { caller, cost, requestId } = input
  if (cost > 0) await deadline.wait(gates.charge(caller, cost, requestId), givingBack(pipeline, input))
  succeed(body)
  return true
}

/** Of endpoints that read nodes; what memory or the database answers is never shed. */
const UPSTREAM_FAILED = 502
/** What a file that broke off counts as, whatever status it began with. */
const BROKEN = 500

/** What a call took. One that failed took nothing, or was given back. */
function creditsOf(status: number, input: AnyRequest | undefined): number {
  if (input === undefined || status >= 300) return 0
  return input.taken ? input.taken.credits : input.cost
}

/**
 * Identifies the caller. A request that its door does not let in is refused and counted by IP address. No promise for a
 * cached key.
 */
function identify(pipeline: Pipeline, request: FastifyRequest, reply: FastifyReply): Caller | Promise<Caller> {
  const refuseStranger = async (thrown: unknown): Promise<never> => {
    admit(pipeline.respond.rate(reply, await pipeline.gates.limitAnonymous(request.ip)))
    throw thrown
  }
  try {
    const found = pipeline.door.identify(request)
    return found instanceof Promise ? found.catch(refuseStranger) : found
  } catch (thrown) {
    return refuseStranger(thrown)
  }
}

/** Refuses a request whose window is full. */
export function admit({ allowed, limit, retryAfterSeconds }: Rate): void {
  if (allowed) return
  throw new Failure('RATE_LIMITED', `Rate limit of ${limit} requests per minute exceeded`, { retryAfterSeconds })
}

/** No promise where the door has no say. */
function priceOf(
  door: Door<Caller, unknown>,
  caller: Caller,
  { cost, keyCost }: AnyEndpoint,
  input: Input,
): number | Promise<number> {
  const worth = keyCost === undefined ? 0 : costOf(keyCost, input)
  return worth > 0 && door.priceOf ? door.priceOf(caller, worth, input) : costOf(cost, input)
}

function costOf(cost: AnyEndpoint['cost'], input: Input): number {
  return typeof cost === 'number' ? cost : cost(input as never)
}

/**
 * Does the work with its credits on hold, unless the handler charges by itself. Posts the hold before the answer is
 * sent, and gives it back if the work fails or takes too long. A client that disconnects changes nothing.
 */
async function work(pipeline: Pipeline, route: Route, input: AnyRequest, deadline: Deadline): Promise<Written> {
  const { gates, load } = pipeline
  const { caller, requestId, cost } = input
  const giveBack = givingBack(pipeline, input)
  const holds = cost > 0 && !route.paysForItself
  const hold = holds ? await deadline.wait(gates.hold(caller, cost, requestId), giveBack) : undefined
  try {
    return await load.during(caller, route.endpoint.essential === true, async () => {
      const answer = await deadline.wait(onBehalfOf(caller.accountId, () => route.handle(input)))
      const body = write(route.endpoint, answer)
      // A payment that comes through after the deadline pays for no answer.
      if (hold) await deadline.wait(hold.post(), giveBack)
      return body
    })
  } catch (thrown) {
    // The answer waits for it, but not beyond its deadline.
    if (hold) await Promise.resolve(deadline.wait(giveBack(hold))).catch(() => undefined)
    throw thrown
  }
}

type Send = (file: OpenFile, cut: AbortSignal) => ReturnType<typeof sendFile>

/**
 * As `work`, of an answer that is sent as it is made: the deadline is that of its first part. What breaks off is given back.
 * Answers whether it was sent as far as its reader wanted.
 */
async function stream(
  pipeline: Pipeline,
  route: Route,
  input: AnyRequest,
  deadline: Deadline,
  send: Send,
): Promise<boolean> {
  const { caller, requestId, cost } = input
  const giveBack = givingBack(pipeline, input)
  const close = (file: OpenFile) => void file.close().catch(() => undefined)
  let payment: Payment | undefined
  let file: OpenFile | undefined
  const endFile = pipeline.load.beginFile(caller)
  const begin = async () => openFile((await route.handle(input)) as FileAnswer)
  try {
    const hold = cost > 0 ? await deadline.wait(pipeline.gates.hold(caller, cost, requestId), giveBack) : undefined
    payment = hold
    const made = async () => {
      file = await deadline.wait(begin(), close)
      if (hold) payment = await deadline.wait(hold.post(), giveBack)
      const broken = await send(file, deadline.lift())
      if (!broken) return true
      pipeline.logger.error({ endpoint: route.name, requestId, err: broken.fault }, 'a file broke off')
      if (payment) await giveBack(payment)
      return false
    }
    return await pipeline.load.during(caller, route.endpoint.essential === true, () =>
      onBehalfOf(caller.accountId, made),
    )
  } catch (thrown) {
    if (file) close(file)
    if (payment) await Promise.resolve(deadline.wait(giveBack(payment))).catch(() => undefined)
    throw thrown
  } finally {
    endFile()
  }
}

/** Returns a function that gives back the credits of a request that failed. It never rejects. */
function givingBack({ logger }: Pipeline, { requestId }: AnyRequest) {
  return (payment: Payment): Promise<void> =>
    payment.giveBack().catch((err) => logger.error({ err, requestId }, 'credits not given back; the hold will expire'))
}

/** The body as it is sent, and the headers that go with it alone. */
type Written = [body: string | Buffer | undefined, headers?: Headers]

function write({ varyingHeaders, setsCookie }: AnyEndpoint, answer: unknown): Written {
  if (varyingHeaders || setsCookie) {
    const { body, headers } = answer as { body: unknown; headers: Headers }
    return [written(body), headers]
  }
  return [written(answer)]
}

const written = (body: unknown) => (body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body))

/** Answers in the error format of the route. The log has the detail: an error for 500, a sampled warning above. */
function refuse(
  { respond, logger, isUnavailable, warn }: Pipeline,
  { name, endpoint, namesOf }: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
): void {
  const failure = asFailure(thrown, isUnavailable)
  const where = { endpoint: name, requestId: request.id }
  if (failure.status === 500) logger.error({ ...where, err: thrown }, 'unexpected error: the request was answered 500')
  else if (failure.status > 500)
    warn(`${name} ${failure.status} ${detailOf(thrown)}`, where, `request not served: ${detailOf(thrown)}`)
  if (failure.code === 'VALIDATION_ERROR') reply.headers(ignoredHeader(namesOf(request.query).ignored) ?? {})
  respond.failure(reply, failure, errorBody(endpoint.errors, failure))
}

/** The message with that of its cause, which explains an overload to the operator. */
function detailOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  return thrown.cause instanceof Error ? `${thrown.message} (${thrown.cause.message})` : thrown.message
}
