import { setTimeout as wait } from 'node:timers/promises'
import type { CircuitBreaker } from './circuit-breaker.ts'
import { UpstreamError } from './upstream-error.ts'

export type FailOverLimits = {
  /** Of a piece of work over all its attempts; no attempt starts later. */
  totalMs: number
  /** First pause before an endpoint is asked again; doubles, and is drawn at random below that. */
  backoffMs: number
}

type Endpoint = { readonly breaker: CircuitBreaker }

/** Runs work that stays on the endpoint that answered it first and moves only when that one fails. */
export type FailOver<E> = <T>(work: (endpoint: E) => Promise<T>) => Promise<T>

/** Attempts per piece of work: each endpoint once and one of them again. */
const MOST_ATTEMPTS = 4

/** Work on one of several endpoints that answer the same. On `UpstreamError` it starts again at the next one; others are bugs. */
export function createFailOver<E extends Endpoint>({
  name,
  endpoints,
  limits: { totalMs, backoffMs },
  isBehind = () => false,
  isFinal = (error) => error.reason === 'not-allowed',
}: {
  /** Of what is behind the endpoints, for errors. */
  name: string
  /** In the order of preference. */
  endpoints: readonly E[]
  limits: FailOverLimits
  /** Asked after all others. */
  isBehind?(endpoint: E): boolean
  /** No endpoint answers otherwise when it is asked again. */
  isFinal?(error: UpstreamError): boolean
}): FailOver<E> {
  let sticky: E | undefined
  // Work that starts anew because an endpoint failed in its middle would otherwise begin there again.
  const preference = (endpoint: E) =>
    (isBehind(endpoint) ? 2 : 0) + (endpoint === sticky ? 0 : 1) + (endpoint.breaker.failedLately() ? 1 : 0)

  return async (work) => {
    const startedAt = performance.now()
    const tried = new Map<E, number>()
    let failure = noneOf(name, endpoints)
    await untilOneIsAsked(endpoints, totalMs)
    for (let left = Math.min(endpoints.length + 1, MOST_ATTEMPTS); left > 0; left -= 1) {
      const endpoint = await chooseOrWait(endpoints, tried, preference)
      const isLate = performance.now() - startedAt > totalMs
      if (!endpoint || isLate || (tried.has(endpoint) && isFinal(failure))) break
      await pause(tried.get(endpoint) ?? 0, backoffMs)
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
}

/** Why no endpoint can be asked. */
function noneOf(name: string, endpoints: readonly Endpoint[]): UpstreamError {
  const isPaused = endpoints.length > 0 && endpoints.every(({ breaker }) => breaker.pausedMs() > 0)
  if (isPaused) return new UpstreamError('rate-limited', `every endpoint of ${name} asks for fewer requests`)
  return new UpstreamError('unavailable', `no endpoint of ${name} can be asked at the moment`)
}

/** Where all ask for fewer requests, and one not for longer than work may wait, that is waited for. */
async function untilOneIsAsked(endpoints: readonly Endpoint[], totalMs: number): Promise<void> {
  const pausedMs = Math.min(...endpoints.map(({ breaker }) => breaker.pausedMs()))
  if (pausedMs > 0 && pausedMs < totalMs) await wait(pausedMs)
}

/** Admitted endpoints, least tried first, then the one in use, then those that keep up and did not just fail, then the given order. */
function choose<E extends Endpoint>(
  endpoints: readonly E[],
  tried: ReadonlyMap<E, number>,
  preference: (endpoint: E) => number,
): E | undefined {
  const cost = (endpoint: E) => (tried.get(endpoint) ?? 0) * 4 + preference(endpoint)
  let best: E | undefined
  for (const endpoint of endpoints) {
    if (endpoint.breaker.admits() && (!best || cost(endpoint) < cost(best))) best = endpoint
  }
  return best
}

/** As `choose`; where each is shut and one is being tried, what comes of that is waited for. */
async function chooseOrWait<E extends Endpoint>(...among: Parameters<typeof choose<E>>): Promise<E | undefined> {
  for (;;) {
    const endpoint = choose(...among)
    const probes = among[0].flatMap(({ breaker }) => breaker.probe() ?? [])
    if (endpoint || probes.length === 0) return endpoint
    await Promise.race(probes)
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
