import { type CircuitBreaker, createCircuitBreaker, type Departure } from '../../lib/circuit-breaker.ts'
import type { Clock } from '../../lib/clock.ts'
import { createGate, type Gate } from '../../lib/concurrency.ts'
import { createFairGate, type Places } from '../../lib/fair-gate.ts'
import { type HttpResponse, httpRequest } from '../../lib/http-client.ts'
import { retryAfterMs } from '../../lib/retry-after.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { longestAnswer } from './answer-size.ts'
import { type Capabilities, freshCapabilities } from './capabilities.ts'
import { HttpRefusal, type ParseJson, parseBatch, parseEnvelope, RpcRefusal, type RpcRequest } from './json-rpc.ts'
import { createPace, type Pace } from './pace.ts'

/** One exchange with a node, for metrics. `outcome` is `ok`, `refused`, or the reason of the failure. */
export type RpcEvent = { chain: string; endpoint: string; method: string; outcome: string; durationMs: number }

/** Time limits of one call. */
export type CallLimits = {
  timeoutMs: number
  /** Of a call that carries a big scan. */
  scanTimeoutMs: number
  /** Of a search of logs: work in the background, and nodes need seconds for wide ones. */
  logTimeoutMs: number
}

/** One node endpoint: what it has shown it can do, and how it is at the moment. */
export type RpcEndpoint = {
  /** `ethereum#1`: its place in the configuration. Its URL is nobody's business. */
  readonly label: string
  readonly clock: Clock
  readonly capabilities: Capabilities
  readonly limits: CallLimits
  readonly breaker: CircuitBreaker
  readonly pace: Pace
  /** What reads many things in the background goes through here: all of it together has so many exchanges under way. */
  readonly background: Gate
  request<T>(request: RpcRequest<T>): Promise<T>
  /** Several calls in one exchange; each answer is a value or the refusal of that one call. */
  batch<T>(requests: readonly RpcRequest<T>[]): Promise<(T | RpcRefusal)[]>
}

type EndpointOptions = {
  chain: string
  label: string
  url: string
  clock: Clock
  limits: CallLimits
  known?: Partial<Capabilities> | undefined
  parseJson?: ParseJson | undefined
  observe?: ((event: RpcEvent) => void) | undefined
}

/** Few enough for a node that is shared, enough that a distant one is busy. */
const BACKGROUND_AT_ONCE = 12

/** Exchanges under way at once: without bound, but an account beside another has few, and jobs beside an account have half. */
const EXCHANGES: Places = { all: Number.POSITIVE_INFINITY, alone: Number.POSITIVE_INFINITY, beside: 2, jobs: 6 }

let lastId = 0

export function createRpcEndpoint(options: EndpointOptions): RpcEndpoint {
  const breaker = createCircuitBreaker(options.clock)
  const pace = createPace()
  const exchange = createExchange(options, breaker, pace)
  return {
    label: options.label,
    limits: options.limits,
    clock: options.clock,
    capabilities: { ...freshCapabilities(), ...options.known },
    breaker,
    pace,
    background: createGate(BACKGROUND_AT_ONCE),
    request(request) {
      lastId += 1
      const id = lastId
      return exchange(request.method, envelope(id, request), request, (response) =>
        request.parse(parseEnvelope(response, id, options.parseJson)),
      )
    },
    batch(requests) {
      const ids = requests.map(() => {
        lastId += 1
        return lastId
      })
      const body = `[${requests.map((request, i) => envelope(ids[i] ?? 0, request)).join(',')}]`
      const method = `batch:${requests[0]?.method}`
      return exchange(method, body, requests[0] ?? {}, (response) => {
        const answers = parseBatch(response, ids, options.parseJson)
        return requests.map((request, i) => {
          const answer = valueOrRefusal(() => request.parse(answers[i]?.()))
          return answer instanceof RpcRefusal ? placed(answer, options.label, request.method) : answer
        })
      })
    },
  }
}

function envelope(id: number, { method, params }: RpcRequest<unknown>): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

function valueOrRefusal<T>(read: () => T): T | RpcRefusal {
  try {
    return read()
  } catch (error) {
    if (error instanceof RpcRefusal && error.kind !== 'rate-limited') return error
    throw error
  }
}

/** Sends a body, hands the answer to `read`, and keeps the endpoint's record: breaker, rest, metrics. */
function createExchange(options: EndpointOptions, breaker: CircuitBreaker, pace: Pace) {
  const record = createRecord(breaker, pace)
  const turns = createFairGate(EXCHANGES)
  return async <T>(
    method: string,
    body: string,
    { timeoutMs, patient = false }: Pick<RpcRequest<unknown>, 'timeoutMs'> & { patient?: boolean },
    read: (response: HttpResponse) => T,
  ) => {
    await pace.turn(patient)
    const leave = await turns.enter()
    const startedAt = performance.now()
    const observe = (outcome: string) =>
      options.observe?.({
        chain: options.chain,
        endpoint: options.label,
        method,
        outcome,
        durationMs: performance.now() - startedAt,
      })
    const departure = breaker.begin()
    let response: HttpResponse | undefined
    try {
      response = await httpRequest({
        url: options.url,
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body,
        timeoutMs: timeoutMs ?? options.limits.timeoutMs,
        maxBytes: longestAnswer(method),
      })
      const result = read(response)
      record.answered()
      observe('ok')
      return result
    } catch (error) {
      if (!(error instanceof UpstreamError)) {
        // The node has answered: what is wrong is here.
        record.answered()
        throw error
      }
      record.failed(error, { method, response, startedAt, departure })
      observe(isRefusal(error) ? 'refused' : error.reason)
      throw placed(error, options.label, method)
    } finally {
      leave()
    }
  }
}

/** The node works and says no to this one call. */
function isRefusal(error: UpstreamError): error is RpcRefusal {
  return error instanceof RpcRefusal && error.kind !== 'rate-limited'
}

/** Methods that gateways refuse by a page of HTML, and batches. */
const REFUSED_BY_STATUS =
  /^(batch:|trace_|debug_|eth_getBlockReceipts$|eth_getLogs$|getTokenAccountsByOwner$|getProgramAccounts$)/
/** The request is too long: shorter ones are taken. */
const TOO_LONG = 413

/** A status that says something of what was asked, and nothing of the endpoint. */
function isAboutMethod(error: UpstreamError, method: string): boolean {
  if (!(error instanceof HttpRefusal)) return false
  const isPage = error.status === 200 || (error.status >= 400 && error.status < 500)
  return error.status === TOO_LONG || (isPage && REFUSED_BY_STATUS.test(method))
}

/** JSON-RPC's code of a failure inside the node; some use it for any refusal. */
const INTERNAL_ERROR = -32603
/** Methods that fail inside a node, one after the other and none of them answered, until the node itself is ill. */
const METHODS_OF_ILLNESS = 3

/** A request that failed, and what was answered to it. */
type Sent = { method: string; response: HttpResponse | undefined; startedAt: number; departure: Departure }

/**
 * Records what an outcome says of the endpoint. A well-formed refusal concerns one method: other methods still work, and the
 * breaker stays closed. A node that reports internal errors for several methods in a row counts as failing.
 */
function createRecord(breaker: CircuitBreaker, pace: Pace) {
  const failing = new Set<string>()
  const noteUnsaid = ({ code }: RpcRefusal, { method, departure }: Pick<Sent, 'method' | 'departure'>) => {
    if (code === INTERNAL_ERROR) failing.add(method)
    if (failing.size >= METHODS_OF_ILLNESS) breaker.fail(departure)
    else breaker.refuse()
  }
  return {
    answered() {
      failing.clear()
      breaker.succeed()
      pace.answered()
    },
    failed(error: UpstreamError, { response, startedAt, ...sent }: Sent) {
      if (error.reason === 'rate-limited') {
        pace.refused(startedAt, retryAfterMs(response))
        return breaker.pause(retryAfterMs(response))
      }
      if (isAboutMethod(error, sent.method)) return breaker.refuse()
      if (!isRefusal(error)) return breaker.fail(sent.departure)
      if (error.kind !== 'other') return this.answered()
      noteUnsaid(error, sent)
    },
  }
}

/** Says where it happened: the method and the endpoint's label. */
function placed<E extends Error>(error: E, label: string, method: string): E {
  error.message = `${label} ${method}: ${error.message}`
  return error
}
