import { type Clock, systemClock } from '../../lib/clock.ts'
import { createFailOver, type FailOver, type FailOverLimits } from '../../lib/fail-over.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { Capabilities } from './capabilities.ts'
import type { ParseJson, RpcRequest } from './json-rpc.ts'
import { type CallLimits, createRpcEndpoint, type RpcEndpoint, type RpcEvent } from './rpc-endpoint.ts'

type Head = { number: bigint; timestamp: number }

/** Work that stays on the endpoint that answered it first and moves only when that one fails. */
type RpcSession = {
  request<T>(request: RpcRequest<T>): Promise<T>
  /** Work of several calls that must come from one endpoint. On `UpstreamError` it starts again at the next one. */
  run: FailOver<RpcEndpoint>
  /** Takes note of a head; throws `UpstreamError` when another endpoint has lately shown one that is far ahead. */
  checkHead(endpoint: RpcEndpoint, head: Head): void
}

/** The endpoints of one chain: health, time limits, fail-over, and what each has shown it can do. */
export type RpcPool = {
  readonly chain: string
  session(): RpcSession
  /** By place in the configuration; to be given to the next start as `known`. */
  capabilities(): Capabilities[]
}

type RpcLimits = CallLimits & FailOverLimits

export type RpcPoolOptions = {
  chain: string
  /** In the order of preference. */
  urls: readonly string[]
  clock?: Clock
  known?: readonly Partial<Capabilities>[]
  /** How answers are read; as JSON has it unless given. */
  parseJson?: ParseJson
  /** Calls in one exchange, for endpoints of which nothing is known. */
  batchSize?: number
  observe?: (event: RpcEvent) => void
  limits?: Partial<RpcLimits>
}

const limitsByDefault: RpcLimits = {
  timeoutMs: 4_000,
  scanTimeoutMs: 8_000,
  logTimeoutMs: 15_000,
  totalMs: 12_000,
  backoffMs: 100,
}

/** Seconds by which a head may be older than another endpoint's before it is not worth reading. */
const LAG_SECONDS = 45
/** A head that nobody confirmed for so long says nothing about the others (a chain of a test was set back). */
const HEAD_VALID_MS = 120_000

export function createRpcPool(options: RpcPoolOptions): RpcPool {
  const clock = options.clock ?? systemClock
  const limits = { ...limitsByDefault, ...options.limits }
  const endpoints = options.urls.map((url, i) =>
    createRpcEndpoint({
      chain: options.chain,
      label: `${options.chain}#${i + 1}`,
      url,
      clock,
      limits,
      known: { ...(options.batchSize && { batchSize: options.batchSize }), ...options.known?.[i] },
      parseJson: options.parseJson,
      observe: options.observe,
    }),
  )
  const heads = createHeads(clock)
  return {
    chain: options.chain,
    session: () => createSession(options.chain, endpoints, heads, limits),
    capabilities: () => endpoints.map((endpoint) => ({ ...endpoint.capabilities })),
  }
}

type Heads = { check(endpoint: RpcEndpoint, head: Head): void; isBehind(endpoint: RpcEndpoint): boolean }

function createHeads(clock: Clock): Heads {
  const seen = new Map<RpcEndpoint, Head & { at: number }>()
  const behind = new Set<RpcEndpoint>()
  return {
    isBehind: (endpoint) => behind.has(endpoint),
    check(endpoint, head) {
      seen.set(endpoint, { ...head, at: clock.now() })
      const ahead = [...seen].some(
        ([other, known]) =>
          other !== endpoint &&
          clock.now() - known.at < HEAD_VALID_MS &&
          known.number > head.number &&
          known.timestamp - head.timestamp > LAG_SECONDS,
      )
      if (!ahead) {
        behind.delete(endpoint)
        return
      }
      behind.add(endpoint)
      throw new UpstreamError('unavailable', `${endpoint.label} is behind the other endpoints`)
    },
  }
}

function createSession(
  chain: string,
  endpoints: readonly RpcEndpoint[],
  { isBehind, check }: Heads,
  limits: RpcLimits,
): RpcSession {
  const run = createFailOver({ name: chain, endpoints, limits, isBehind })
  return {
    run,
    request: (request) => run((endpoint) => endpoint.request(request)),
    checkHead: check,
  }
}
