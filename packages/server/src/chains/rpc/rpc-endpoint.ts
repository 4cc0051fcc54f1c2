import { type CircuitBreaker, createCircuitBreaker, type Departure } from '../../lib/circuit-breaker.ts'
import type { Clock, Timer } from '../../lib/clock.ts'
import { createGate, type Gate } from '../../lib/concurrency.ts'
import { FairGate, type Places } from '../../lib/fair-gate.ts'
import { type HttpResponse, httpRequest, retryAfterMs } from '../../lib/http-client.ts'
import { currentTenant } from '../../lib/tenant.ts'
import { traced } from '../../lib/tracing.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { type Capabilities, freshCapabilities } from './capabilities.ts'
import {
  HttpRefusal,
  type ParseJson,
  parseBatch,
  parseEnvelope,
  RpcRefusal,
  type RpcRequest,
  refusalOrThrow,
} from './json-rpc.ts'
import { createPace, type Pace } from './pace.ts'

export type RpcEvent = { chain: string; endpoint: string; method: string; outcome: string; durationMs: number }

export type CallLimits = {
  timeoutMs: number
  scanTimeoutMs: number
  logTimeoutMs: number
}

export type RpcEndpoint = {
  /** E.g. `ethereum#1`: the URL stays private. */
  readonly label: string
  readonly chain: string
  readonly clock: Clock
  readonly capabilities: Capabilities
  readonly limits: CallLimits
  readonly breaker: CircuitBreaker
  readonly pace: Pace
  readonly background: Gate
  request<T>(request: RpcRequest<T>): Promise<T>
  batch<T>(requests: readonly RpcRequest<T>[]): Promise<(T | RpcRefusal)[]>
}

type EndpointOptions = {
  chain: string
  label: string
  url: string
  clock: Clock
  timer: Timer
  limits: CallLimits
  known?: Partial<Capabilities> | undefined
  parseJson?: ParseJson | undefined
  observe?: ((event: RpcEvent) => void) | undefined
}

/** Spares a shared node, keeps a distant one busy. */
const BACKGROUND_AT_ONCE = 12

/** Unlimited unless another account is active: then two, or as many as another wants; jobs six. */
const EXCHANGES: Places = { all: Number.POSITIVE_INFINITY, alone: Number.POSITIVE_INFINITY, least: 2, jobs: 6 }

export function createRpcEndpoint(options: EndpointOptions): RpcEndpoint {
  const breaker = createCircuitBreaker(options.clock)
  const pace = createPace(options.timer)
  const exchange = createExchange(options, breaker, pace)
  let lastId = 0
  const nextId = () => {
    lastId += 1
    return lastId
  }
  return {
    label: options.label,
    chain: options.chain,
    limits: options.limits,
    clock: options.clock,
    capabilities: { ...freshCapabilities(), ...options.known },
    breaker,
    pace,
    background: createGate(BACKGROUND_AT_ONCE),
    request(request) {
      const id = nextId()
      return exchange({
        method: request.method,
        requests: [request],
        body: envelope(id, request),
        read: (response) => request.parse(parseEnvelope(response, id, options.parseJson)),
      })
    },
    batch(requests) {
      const ids = requests.map(nextId)
      return exchange({
        method: `${BATCH}${requests.at(-1)?.method}`,
        requests,
        body: `[${requests.map((request, i) => envelope(ids[i] ?? 0, request)).join(',')}]`,
        read(response) {
          const answers = parseBatch(response, ids, options.parseJson)
          return requests.map((request, i) => {
            const answer = valueOrRefusal(() => request.parse(answers[i]?.()))
            return answer instanceof RpcRefusal ? placed(answer, options.label, request.method) : answer
          })
        },
        refusalsOf: (answers) =>
          requests.flatMap(({ method }, i) => {
            const answer = answers[i]
            return answer instanceof RpcRefusal ? { method, refusal: answer } : []
          }),
      })
    },
  }
}

const BATCH = 'batch:'

function envelope(id: number, { method, params }: RpcRequest<unknown>): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

function valueOrRefusal<T>(read: () => T): T | RpcRefusal {
  try {
    return read()
  } catch (error) {
    return refusalOrThrow(error)
  }
}

type RefusedCall = { method: string; refusal: RpcRefusal }
type Exchange<T> = {
  method: string
  requests: readonly RpcRequest<unknown>[]
  body: string
  read(response: HttpResponse): T
  refusalsOf?(result: T): RefusedCall[]
}

function createExchange(options: EndpointOptions, breaker: CircuitBreaker, pace: Pace) {
  const record = createRecord(breaker, pace)
  const turns = new FairGate(EXCHANGES)
  async function exchange<T>({ method, requests, body, read, refusalsOf = () => [] }: Exchange<T>): Promise<T> {
    await pace.turn(requests.some(({ patient }) => patient))
    const leave = await turns.enter(currentTenant())
    const [startedAt, sentAt] = [performance.now(), options.timer.now()]
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
        timeoutMs: Math.max(...requests.map(({ timeoutMs }) => timeoutMs ?? options.limits.timeoutMs)),
        maxBytes: longestAnswer(requests),
      })
      const result = read(response)
      const refused = refusalsOf(result)
      record.calls(requests.length, refused, departure)
      observe(refused.length > 0 ? 'refused' : 'ok')
      return result
    } catch (error) {
      if (!(error instanceof UpstreamError)) {
        // The error is a bug on this side.
        record.answered()
        throw error
      }
      record.failed(error, { method, response, sentAt, departure })
      observe(isRefusal(error) ? 'refused' : error.reason)
      throw placed(error, options.label, method)
    } finally {
      leave()
    }
  }

  return <T>(asked: Exchange<T>): Promise<T> => {
    const { method, requests } = asked
    const place = { 'coffer.chain': options.chain, 'coffer.endpoint': options.label, 'coffer.calls': requests.length }
    const attributes = { 'rpc.system': 'jsonrpc', 'rpc.method': method, ...place }
    return traced({ name: `rpc ${method}`, kind: 'client', attributes }, () => exchange(asked))
  }
}

function isRefusal(error: UpstreamError): error is RpcRefusal {
  return error instanceof RpcRefusal && error.kind !== 'rate-limited'
}

/** Gateways refuse these with an HTML page. */
const REFUSED_BY_STATUS =
  /^(batch:|trace_|debug_|eth_getBlockReceipts$|eth_getLogs$|getTokenAccountsByOwner$|getProgramAccounts$)/
const TOO_LONG = 413

function isAboutMethod(error: UpstreamError, method: string): boolean {
  if (!(error instanceof HttpRefusal)) return false
  const isPage = error.status === 200 || (error.status >= 400 && error.status < 500)
  return error.status === TOO_LONG || (isPage && REFUSED_BY_STATUS.test(method))
}

const INTERNAL_ERROR = -32603
/** Methods with internal errors in a row. */
const METHODS_OF_ILLNESS = 3

type Sent = { method: string; response: HttpResponse | undefined; sentAt: number; departure: Departure }

/** A well-formed refusal concerns one method: the breaker stays closed. */
function createRecord(breaker: CircuitBreaker, pace: Pace) {
  const failing = new Set<string>()
  const noteUnsaid = ({ code }: RpcRefusal, method: string, departure: Departure) => {
    if (code === INTERNAL_ERROR) failing.add(method.replace(BATCH, ''))
    if (failing.size >= METHODS_OF_ILLNESS) breaker.fail(departure)
    else breaker.refuse()
  }
  return {
    answered() {
      failing.clear()
      breaker.succeed()
      pace.answered()
    },
    calls(count: number, refused: readonly RefusedCall[], departure: Departure) {
      const unsaid = refused.filter(({ refusal }) => refusal.kind === 'other')
      if (unsaid.length < count) this.answered()
      for (const { method, refusal } of unsaid) noteUnsaid(refusal, method, departure)
    },
    failed(error: UpstreamError, { method, response, sentAt, departure }: Sent) {
      if (error.reason === 'rate-limited') {
        pace.refused(sentAt, retryAfterMs(response))
        return breaker.pause(retryAfterMs(response))
      }
      if (isAboutMethod(error, method)) return breaker.refuse()
      if (!isRefusal(error)) return breaker.fail(departure)
      if (error.kind !== 'other') return this.answered()
      noteUnsaid(error, method, departure)
    },
  }
}

function placed<E extends Error>(error: E, label: string, method: string): E {
  error.message = `${label} ${method}: ${error.message}`
  return error
}

const LONGEST_BYTES = 32_000_000
/** About eight times the longest packed answer (512,000 bytes), in hex digits. */
const CALL_BYTES = 8_000_000
/** Transaction hashes of 70 bytes each. */
const HEADER_BYTES = 4_000_000
/** Fits a gateway's error page. */
const SHORT_BYTES = 256_000

const SHORT_METHODS = [
  'eth_blockNumber',
  'eth_chainId',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getStorageAt',
  'eth_getTransactionCount',
  'net_version',
  'getBlockHeight',
  'getBlockTime',
  'getFirstAvailableBlock',
  'getGenesisHash',
  'getSlot',
  'minimumLedgerSlot',
]

const lengths = new Map<string, number>([
  ['eth_call', CALL_BYTES],
  ...SHORT_METHODS.map((method): [string, number] => [method, SHORT_BYTES]),
])

/** Bytes after decompression. */
export function longestAnswer(requests: readonly RpcRequest<unknown>[]): number {
  const bytes = requests.reduce((sum, request) => sum + longestOf(request), 0)
  return Math.min(LONGEST_BYTES, bytes)
}

function longestOf({ method, params }: RpcRequest<unknown>): number {
  if (method === 'eth_getBlockByNumber' && params[1] === false) return HEADER_BYTES
  return lengths.get(method) ?? LONGEST_BYTES
}
