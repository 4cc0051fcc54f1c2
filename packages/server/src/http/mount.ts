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
import { createInputReader, createQueryNames, type Input, ignoredHeader } from './input.ts'
import type { Load } from './load.ts'
import type { Origins } from './origin.ts'
import type { Responder } from './respond.ts'

type HandlerRequest<E extends AnyEndpoint, C> = RequestOf<E> & {
  readonly caller: C
  readonly requestId: string
  /** In credits. */
  readonly cost: number
  /** Filled by a handler that charges by itself. */
  readonly taken: Taken | undefined
  /** E.g. `https://coffer.example`. */
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
  | {
      /** INSUFFICIENT_CREDITS comes before other refusals. */
      transact: Handle<E, C>
    }
  | {
      /** Runs on valid input, before the charge, for refusals that cost nothing (404 of a chain key, 403). */
      prepare?(request: HandlerRequest<E, C>): void | Promise<void>
      /** The complete answer from memory: charged at once, no hold. */
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
  /** Prices calls with a `keyCost`; `worth` is the price with a key. Without it, `cost` counts. */
  priceOf?(caller: C, worth: number, input: Input): Promise<number>
}

type RouteUsage = (caller: Caller, status: number, credits: number) => void

export type Usage = { route(name: string): RouteUsage }

export type MountParts<C extends Caller, R> = {
  door: Door<C, R>
  gates: Pick<Gates, 'limitAnonymous' | 'charge' | 'hold'>
  load: Load
  deadlines: Deadlines
  respond: Responder
  origins: Origins
  logger: Logger
  metrics: { route(name: string): RouteMetrics }
  usage?: Usage | undefined
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

export function mount<R, C extends Caller, T extends Readonly<Record<string, Endpoint<R, string>>>>(
  app: FastifyInstance,
  parts: MountParts<C, R>,
  endpoints: T,
  handlers: Handlers<T, C>,
): void {
  // The table's types match those of the door.
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
      // HEAD is charged like GET.
      method: endpoint.method === 'GET' ? ['GET', 'HEAD'] : endpoint.method,
      url: endpoint.path,
      handler: (request, reply) => {
        // The router takes an empty part for a parameter.
        if (endpoint.params && hasEmptyPart(request.params)) reply.callNotFound()
        else void serve(pipeline, route, request, reply)
      },
      // Refused after key, rate, load and access.
      errorHandler: (thrown, request, reply) => void serve(pipeline, route, request, reply, asBodyFailure(thrown)),
    })
  }
}

function hasEmptyPart(params: unknown): boolean {
  return Object.values(params as object).includes('')
}

/** Runs the same steps for every request, in this order, within one deadline. */
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

/** False if the file broke off. */
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
    if (endpoint.failures?.includes(UPSTREAM_FAILED)) pipeline.load.admitReading(input.caller)
    succeed(await work(pipeline, route, input, deadline))
    return true
  }
  const body = write(endpoint, ready)
  const { caller, cost, requestId } = input
  if (cost > 0) await deadline.wait(gates.charge(caller, cost, requestId), givingBack(pipeline, input))
  succeed(body)
  return true
}

/** Only endpoints that read nodes are shed. */
const UPSTREAM_FAILED = 502
const BROKEN = 500

/** Failed calls took nothing, or gave it back. */
function creditsOf(status: number, input: AnyRequest | undefined): number {
  if (input === undefined || status >= 300) return 0
  return input.taken ? input.taken.credits : input.cost
}

/** Counts refused callers by IP address. */
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

export function admit({ allowed, limit, retryAfterSeconds }: Rate): void {
  if (allowed) return
  throw new Failure('RATE_LIMITED', `Rate limit of ${limit} requests per minute exceeded`, { retryAfterSeconds })
}

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

/** Posts the hold before the answer is sent. A client that disconnects changes nothing. */
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
      // A payment after the deadline pays for no answer.
      if (hold) await deadline.wait(hold.post(), giveBack)
      return body
    })
  } catch (thrown) {
    if (hold) await Promise.resolve(deadline.wait(giveBack(hold))).catch(() => undefined)
    throw thrown
  }
}

type Send = (file: OpenFile, cut: AbortSignal) => ReturnType<typeof sendFile>

/** The deadline is that of the first part. Gives credits back if the file breaks off. */
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

/** Never rejects. */
function givingBack({ logger }: Pipeline, { requestId }: AnyRequest) {
  return (payment: Payment): Promise<void> =>
    payment.giveBack().catch((err) => logger.error({ err, requestId }, 'credits not given back; the hold will expire'))
}

type Written = [body: string | Buffer | undefined, headers?: Headers]

function write({ varyingHeaders, setsCookie }: AnyEndpoint, answer: unknown): Written {
  if (varyingHeaders || setsCookie) {
    const { body, headers } = answer as { body: unknown; headers: Headers }
    return [written(body), headers]
  }
  return [written(answer)]
}

const written = (body: unknown) => (body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body))

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

function detailOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  return thrown.cause instanceof Error ? `${thrown.message} (${thrown.cause.message})` : thrown.message
}
