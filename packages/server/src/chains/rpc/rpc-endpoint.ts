import { type CircuitBreaker, createCircuitBreaker } from '../../lib/circuit-breaker.ts'
import type { Clock } from '../../lib/clock.ts'
import { createGate, type Gate } from '../../lib/concurrency.ts'
import { type HttpResponse, httpRequest } from '../../lib/http-client.ts'
import { retryAfterMs } from '../../lib/retry-after.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { type Capabilities, freshCapabilities } from './capabilities.ts'
import { type ParseJson, parseBatch, parseEnvelope, RpcRefusal, type RpcRequest } from './json-rpc.ts'

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
/** A scan's answer has some kB, logs some MB; beyond this a node is misbehaving. */
const MAX_ANSWER_BYTES = 32_000_000

let lastId = 0

export function createRpcEndpoint(options: EndpointOptions): RpcEndpoint {
  const breaker = createCircuitBreaker(options.clock)
  const exchange = createExchange(options, breaker)
  return {
    label: options.label,
    limits: options.limits,
    clock: options.clock,
    capabilities: { ...freshCapabilities(), ...options.known },
    breaker,
    background: createGate(BACKGROUND_AT_ONCE),
    request(request) {
      lastId += 1
      const id = lastId
      return exchange(request.method, envelope(id, request), request.timeoutMs, (response) =>
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
      return exchange(method, body, requests[0]?.timeoutMs, (response) => {
        const answers = parseBatch(response, ids, options.parseJson)
        return requests.map((request, i) => valueOrRefusal(() => request.parse(answers[i]?.())))
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
function createExchange(options: EndpointOptions, breaker: CircuitBreaker) {
  return async <T>(
    method: string,
    body: string,
    timeoutMs: number | undefined,
    read: (response: HttpResponse) => T,
  ) => {
    const startedAt = performance.now()
    const observe = (outcome: string) =>
      options.observe?.({
        chain: options.chain,
        endpoint: options.label,
        method,
        outcome,
        durationMs: performance.now() - startedAt,
      })
    breaker.begin()
    let response: HttpResponse | undefined
    try {
      response = await httpRequest({
        url: options.url,
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body,
        timeoutMs: timeoutMs ?? options.limits.timeoutMs,
        maxBytes: MAX_ANSWER_BYTES,
      })
      const result = read(response)
      breaker.succeed()
      observe('ok')
      return result
    } catch (error) {
      if (!(error instanceof UpstreamError)) {
        // The node has answered: what is wrong is here.
        breaker.succeed()
        throw error
      }
      record(breaker, error, response)
      observe(isRefusal(error) ? 'refused' : error.reason)
      throw error
    }
  }
}

/** The node works and says no to this one call: nothing to hold against it. */
function isRefusal(error: UpstreamError): boolean {
  return error instanceof RpcRefusal && error.kind !== 'rate-limited' && error.kind !== 'other'
}

function record(breaker: CircuitBreaker, error: UpstreamError, response: HttpResponse | undefined): void {
  if (error.reason === 'rate-limited') breaker.rest(retryAfterMs(response))
  else if (isRefusal(error)) breaker.succeed()
  else breaker.fail()
}
