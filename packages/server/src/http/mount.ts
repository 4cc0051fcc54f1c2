import {
  type AnyEndpoint,
  type Bucket,
  type Endpoint,
  Failure,
  type FileAnswer,
  type RequestOf,
  type Requirement,
  type ResponseOf,
} from '@coffer/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '../lib/logger.ts'
import type { RouteMetrics } from '../lib/metrics.ts'
import { createSampledWarn, type SampledWarn } from '../lib/sampled-log.ts'
import { withTenant } from '../lib/tenant.ts'
import { isTracing, traced } from '../lib/tracing.ts'
import type { Headers } from './cors.ts'
import type { Deadline, Deadlines } from './deadlines.ts'
import { asBodyFailure, asFailure, errorBody } from './error-body.ts'
import { type BegunFile, beginFile, closeFile, sendFile } from './file-answer.ts'
import type { Caller, Gates, Payment, Rate } from './gates.ts'
import { createInputReader, type Input, ignoredHeader, readQuery } from './input.ts'
import type { Load } from './load.ts'
import type { Origins } from './origin.ts'
import type { Responder } from './respond.ts'

type HandlerRequest<E extends AnyEndpoint, C> = RequestOf<E> & {
  readonly caller: C
  readonly requestId: string
  readonly cost: number
  /** Filled by a handler that charges by itself. */
  readonly taken: Taken | undefined
  readonly origin: string
}

/** `Buffer`: JSON already written. */
type Answer<E extends AnyEndpoint> = E extends { streams: readonly unknown[] }
  ? FileAnswer
  : E extends { varyingHeaders: infer H extends Required<Endpoint>['varyingHeaders'] }
    ? { body: ResponseOf<E> | Buffer; headers: { readonly [N in keyof H]: H[N][number] } }
    : E extends { setsCookie: true }
      ? { body: ResponseOf<E>; headers: { readonly 'set-cookie': string } }
      : ResponseOf<E> | Buffer

type Taken = { credits: number }

type Handle<E extends AnyEndpoint, C> = (request: HandlerRequest<E, C>) => Answer<E> | Promise<Answer<E>>

type Handler<E extends AnyEndpoint, C> =
  | Handle<E, C>
  /** INSUFFICIENT_CREDITS comes before other refusals. */
  | { transact: Handle<E, C> }
  | {
      /** For refusals that cost nothing: runs before the charge. */
      prepare?(request: HandlerRequest<E, C>): void | Promise<void>
      /** The answer from memory: charged at once, no hold. */
      fresh?(request: HandlerRequest<E, C>): Answer<E> | undefined
      /** Credits are held, and given back if it throws. */
      handle: Handle<E, C>
    }

export type Handlers<T extends Readonly<Record<string, AnyEndpoint>>, C = Caller> = {
  readonly [K in keyof T]: Handler<T[K], C>
}

export type Door<C extends Caller, R> = {
  identify(request: FastifyRequest): C | Promise<C>
  limit(caller: C, bucket: Bucket): Rate | Promise<Rate>
  authorize(caller: C, requires: R): void
  /** For calls with a `keyCost`; `worth` is the price with a key. */
  priceOf?(caller: C, worth: number, input: Input): Promise<number>
}

type RouteUsage = (caller: Caller, status: number, credits: number) => void

export type Usage = { route(name: string): RouteUsage }

export type HttpContext<C extends Caller, R> = {
  door: Door<C, R>
  gates: Gates
  load: Load
  deadlines: Deadlines
  respond: Responder
  origins: Origins
  logger: Logger
  metrics: { route(name: string): RouteMetrics }
  usage: Usage | undefined
  isUnavailable(thrown: unknown): boolean
}

export type ApiContext = HttpContext<Caller, Requirement>

type Context = HttpContext<Caller, unknown> & { warn: SampledWarn }

type AnyRequest = Input & { caller: Caller; requestId: string; cost: number; taken: Taken | undefined; origin: string }
type Steps = {
  prepare?(request: AnyRequest): void | Promise<void>
  fresh?(request: AnyRequest): unknown
  handle(request: AnyRequest): unknown
}
type Route = Steps & {
  name: string
  endpoint: AnyEndpoint
  metrics: RouteMetrics
  countUse: RouteUsage | undefined
  read(request: FastifyRequest): Input
  paysForItself: boolean
}

export function mount<R, C extends Caller, T extends Readonly<Record<string, Endpoint<R, string>>>>(
  app: FastifyInstance,
  shared: HttpContext<C, R>,
  endpoints: T,
  handlers: Handlers<T, C>,
): void {
  const context: Context = { ...(shared as unknown as Context), warn: createSampledWarn(shared.logger) }
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const handler = handlers[name] as unknown as Steps['handle'] | Steps | { transact: Steps['handle'] }
    const steps = typeof handler === 'function' ? { handle: handler } : handler
    const paysForItself = 'transact' in steps
    const route: Route = {
      name,
      endpoint,
      metrics: context.metrics.route(name),
      countUse: context.usage?.route(name),
      read: createInputReader(endpoint),
      ...(paysForItself ? { handle: steps.transact } : steps),
      paysForItself,
    }
    app.route({
      // HEAD is charged like GET.
      method: endpoint.method === 'GET' ? ['GET', 'HEAD'] : endpoint.method,
      url: endpoint.path,
      handler: (request, reply) => {
        // The router takes an empty part for a parameter.
        if (endpoint.params && Object.values(Object(request.params)).includes('')) reply.callNotFound()
        else void serveTraced({ context, route, request, reply })
      },
      errorHandler: (thrown, request, reply) =>
        void serveTraced({ context, route, request, reply, bodyFault: asBodyFailure(thrown) }),
    })
  }
}

type Call = { context: Context; route: Route; request: FastifyRequest; reply: FastifyReply; deadline: Deadline }

type Arrived = Omit<Call, 'deadline'> & { bodyFault?: Failure }

function serveTraced(arrived: Arrived): Promise<void> {
  if (!isTracing()) return serve(arrived)
  const { route, request, reply } = arrived
  const { method, path } = route.endpoint
  const attributes = { 'http.request.method': request.method, 'http.route': path, 'coffer.endpoint': route.name }
  const { traceparent } = request.headers
  return traced(
    { name: `${method} ${path}`, kind: 'server', attributes, traceparent },
    () => serve(arrived),
    () => statusOf(reply),
  )
}

const statusOf = ({ statusCode }: FastifyReply) => ({
  'http.response.status_code': statusCode,
  ...(statusCode >= 500 && { 'error.type': String(statusCode) }),
})

/** The same steps for every request, within one deadline. */
async function serve({ context, route, request, reply, bodyFault }: Arrived): Promise<void> {
  const { door, load, origins, respond } = context
  const { endpoint } = route
  const startedAt = performance.now()
  const deadline = context.deadlines.begin()
  const call = { context, route, request, reply, deadline }
  let rate: Rate | undefined
  let caller: Caller | undefined
  let input: AnyRequest | undefined
  let isBroken = false
  load.begin()
  try {
    caller = await deadline.wait(identify(context, request, reply))
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
    isBroken = !(await answer(call, input, rate))
  } catch (thrown) {
    if (rate) respond.rate(reply, rate)
    await load.slowDown(thrown)
    refuse(call, thrown)
  } finally {
    deadline.end()
    load.end()
    const status = isBroken ? 500 : reply.statusCode
    route.metrics.observe(status, performance.now() - startedAt)
    // Failed calls took nothing, or gave it back.
    const taken = status < 300 && input ? (input.taken?.credits ?? input.cost) : 0
    if (caller) route.countUse?.(caller, status, taken)
  }
}

async function answer(call: Call, input: AnyRequest, rate: Rate): Promise<boolean> {
  const { context, route, reply } = call
  const { endpoint } = route
  if (endpoint.streams) return stream(call, input, rate)
  const ready = route.fresh?.(input)
  // Only endpoints that read nodes are shed.
  if (ready === undefined && endpoint.failures?.includes(502)) context.load.admitReading(input.caller)
  const [body, own] = ready === undefined ? await work(call, input) : await charged(call, input, ready)
  const ignored = ignoredHeader(input.ignored)
  context.respond.success(reply, endpoint, rate, body, ignored ? { ...own, ...ignored } : own)
  return true
}

/** Counts refused callers by IP address. */
export function identify<C extends Caller, R>(
  { door, gates, respond }: HttpContext<C, R>,
  request: FastifyRequest,
  reply: FastifyReply,
): C | Promise<C> {
  const refuseUnidentified = async (thrown: unknown): Promise<never> => {
    admit(respond.rate(reply, await gates.limitAnonymous(request.ip)))
    throw thrown
  }
  try {
    const found = door.identify(request)
    return found instanceof Promise ? found.catch(refuseUnidentified) : found
  } catch (thrown) {
    return refuseUnidentified(thrown)
  }
}

export function admit({ allowed, limit, retryAfterSeconds }: Rate): void {
  if (allowed) return
  throw new Failure('RATE_LIMITED', `Rate limit of ${limit} requests per minute exceeded`, { retryAfterSeconds })
}

function priceOf(
  door: Door<Caller, unknown>,
  caller: Caller,
  { cost, keyCost = 0 }: AnyEndpoint,
  input: Input,
): number | Promise<number> {
  const amountOf = (price: AnyEndpoint['cost']) => (typeof price === 'number' ? price : price(input as never))
  const worth = amountOf(keyCost)
  return worth > 0 && door.priceOf ? door.priceOf(caller, worth, input) : amountOf(cost)
}

async function charged({ context, route, deadline }: Call, input: AnyRequest, ready: unknown): Promise<Written> {
  const written = write(route.endpoint, ready)
  const { caller, cost, requestId } = input
  if (cost > 0) await deadline.wait(context.gates.charge(caller, cost, requestId), givingBack(context, input))
  return written
}

async function work({ context, route, deadline }: Call, input: AnyRequest): Promise<Written> {
  const { gates, load } = context
  const { caller, requestId, cost } = input
  const giveBack = givingBack(context, input)
  const holds = cost > 0 && !route.paysForItself
  const hold = holds ? await deadline.wait(gates.hold(caller, cost, requestId), giveBack) : undefined
  try {
    return await load.during(caller, route.endpoint.essential === true, async () => {
      const answer = await deadline.wait(withTenant(caller.accountId, () => route.handle(input)))
      const body = write(route.endpoint, answer)
      // A payment after the deadline pays for no answer.
      if (hold) await deadline.wait(hold.post(), giveBack)
      return body
    })
  } catch (thrown) {
    if (hold) await Promise.resolve(deadline.wait(giveBack(hold))).catch(() => undefined)
    throw thrown
  }
}

/** The deadline is that of the first part. Gives credits back if the file breaks off. */
async function stream({ context, route, reply, deadline }: Call, input: AnyRequest, rate: Rate): Promise<boolean> {
  const { gates, load, logger, respond } = context
  const { caller, requestId, cost } = input
  const giveBack = givingBack(context, input)
  let payment: Payment | undefined
  let file: BegunFile | undefined
  const endFile = load.beginFile(caller)
  const begin = async () => beginFile((await route.handle(input)) as FileAnswer)
  try {
    const hold = cost > 0 ? await deadline.wait(gates.hold(caller, cost, requestId), giveBack) : undefined
    payment = hold
    const made = async () => {
      file = await deadline.wait(begin(), closeFile)
      if (hold) payment = await deadline.wait(hold.post(), giveBack)
      respond.beginFile(reply, route.endpoint, rate, file.file, ignoredHeader(input.ignored))
      const broken = await sendFile(reply.raw, file, deadline.lift())
      if (!broken) return true
      logger.error({ endpoint: route.name, requestId, err: broken.fault }, 'a file broke off')
      if (payment) await giveBack(payment)
      return false
    }
    return await load.during(caller, route.endpoint.essential === true, () => withTenant(caller.accountId, made))
  } catch (thrown) {
    if (file) closeFile(file)
    if (payment) await Promise.resolve(deadline.wait(giveBack(payment))).catch(() => undefined)
    throw thrown
  } finally {
    endFile()
  }
}

function givingBack({ logger }: Context, { requestId }: AnyRequest) {
  return (payment: Payment): Promise<void> =>
    payment.giveBack().catch((err) => logger.error({ err, requestId }, 'credits not given back; the hold will expire'))
}

type Written = [body: string | Buffer | undefined, headers?: Headers]

function write({ varyingHeaders, setsCookie }: AnyEndpoint, answer: unknown): Written {
  if (!varyingHeaders && !setsCookie) return [written(answer)]
  const { body, headers } = answer as { body: unknown; headers: Headers }
  return [written(body), headers]
}

const written = (body: unknown) => (body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body))

function refuse({ context, route: { name, endpoint }, request, reply }: Call, thrown: unknown): void {
  const { respond, logger, isUnavailable, warn } = context
  const failure = asFailure(thrown, isUnavailable)
  const where = { endpoint: name, requestId: request.id }
  if (failure.status === 500) logger.error({ ...where, err: thrown }, 'unexpected error: the request was answered 500')
  else if (failure.status > 500)
    warn(`${name} ${failure.status} ${detailOf(thrown)}`, where, `request not served: ${detailOf(thrown)}`)
  if (failure.code === 'VALIDATION_ERROR') {
    reply.headers(ignoredHeader(readQuery(endpoint.query, request.query).ignored) ?? {})
  }
  respond.failure(reply, failure, errorBody(endpoint.errors, failure))
}

function detailOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  return thrown.cause instanceof Error ? `${thrown.message} (${thrown.cause.message})` : thrown.message
}
