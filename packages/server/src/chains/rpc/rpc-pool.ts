import { setTimeout as wait } from 'node:timers/promises'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { Capabilities } from './capabilities.ts'
import type { ParseJson, RpcRequest } from './json-rpc.ts'
import { type CallLimits, createRpcEndpoint, type RpcEndpoint, type RpcEvent } from './rpc-endpoint.ts'

type Head = { number: bigint; timestamp: number }

/** Work that stays on the endpoint that answered it first and moves only when that one fails. */
type RpcSession = {
  request<T>(request: RpcRequest<T>): Promise<T>
  /** Work of several calls that must come from one endpoint. On `UpstreamError` it starts again at the next one. */
  run<T>(work: (endpoint: RpcEndpoint) => Promise<T>): Promise<T>
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

type RpcLimits = CallLimits & {
  /** Of a piece of work over all its attempts; no attempt starts later. */
  totalMs: number
  /** First pause before an endpoint is asked again; doubles, and is drawn at random below that. */
  backoffMs: number
}

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

/** Attempts per piece of work: each endpoint once and one of them again. */
const MOST_ATTEMPTS = 4
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

/** Admitted endpoints, least tried first, then the one in use, then those that keep up and did not just fail, then the configured order. */
function choose(
  endpoints: readonly RpcEndpoint[],
  tried: ReadonlyMap<RpcEndpoint, number>,
  preference: (endpoint: RpcEndpoint) => number,
): RpcEndpoint | undefined {
  const cost = (endpoint: RpcEndpoint) => (tried.get(endpoint) ?? 0) * 4 + preference(endpoint)
  let best: RpcEndpoint | undefined
  for (const endpoint of endpoints) {
    if (endpoint.breaker.admits() && (!best || cost(endpoint) < cost(best))) best = endpoint
  }
  return best
}

/** As `choose`; where each is shut and one is being tried, what comes of that is waited for. */
async function chooseOrWait(...among: Parameters<typeof choose>): Promise<RpcEndpoint | undefined> {
  for (;;) {
    const endpoint = choose(...among)
    const probes = among[0].flatMap(({ breaker }) => breaker.probe() ?? [])
    if (endpoint || probes.length === 0) return endpoint
    await Promise.race(probes)
  }
}

function createSession(chain: string, endpoints: readonly RpcEndpoint[], heads: Heads, limits: RpcLimits): RpcSession {
  let sticky: RpcEndpoint | undefined
  // A read that starts anew because an endpoint failed in its middle would otherwise begin there again.
  const preference = (endpoint: RpcEndpoint) =>
    (heads.isBehind(endpoint) ? 2 : 0) + (endpoint === sticky ? 0 : 1) + (endpoint.breaker.failedLately() ? 1 : 0)

  async function run<T>(work: (endpoint: RpcEndpoint) => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    const tried = new Map<RpcEndpoint, number>()
    let failure = new UpstreamError('unavailable', `no endpoint of ${chain} can be asked at the moment`)
    const isRefused = (endpoint: RpcEndpoint) => tried.has(endpoint) && failure.reason === 'not-allowed'
    for (let left = Math.min(endpoints.length + 1, MOST_ATTEMPTS); left > 0; left -= 1) {
      const endpoint = await chooseOrWait(endpoints, tried, preference)
      const isLate = performance.now() - startedAt > limits.totalMs
      if (!endpoint || isLate || isRefused(endpoint)) break
      await pause(tried.get(endpoint) ?? 0, limits.backoffMs)
      tried.set(endpoint, (tried.get(endpoint) ?? 0) + 1)
      try {
        const result = await work(endpoint)
        sticky = endpoint
        return result
      } catch (error) {
        failure = upstreamOnly(error)
      }
    }
    throw failure
  }

  return {
    run,
    request: (request) => run((endpoint) => endpoint.request(request)),
    checkHead: heads.check,
  }
}

/** Before an endpoint is asked again; drawn at random so that readers do not come back together. */
async function pause(times: number, backoffMs: number): Promise<void> {
  if (times > 0) await wait(Math.random() * backoffMs * 2 ** times)
}

/** Anything but a failure of a node is a bug, and no other node mends it. */
function upstreamOnly(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error
  throw error
}
