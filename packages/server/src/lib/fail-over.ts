import type { CircuitBreaker } from './circuit-breaker.ts'
import { monotonicTimer, type Timer } from './clock.ts'
import { UpstreamError, upstreamOnly } from './upstream-error.ts'

export type FailOverLimits = {
  totalMs: number
  /** Random pauses stay below base × 2^n after n tries. */
  backoffMs: number
}

type Endpoint = { readonly breaker: CircuitBreaker }

export type FailOver<E> = <T>(work: (endpoint: E) => Promise<T>) => Promise<T>

const MOST_ATTEMPTS = 4

/** Restarts work after an `UpstreamError`. Throws other errors: they are bugs. */
export function createFailOver<E extends Endpoint>({
  name,
  endpoints,
  limits: { totalMs, backoffMs },
  timer = monotonicTimer,
  isBehind = () => false,
  isFinal = (error) => error.reason === 'not-allowed',
}: {
  name: string
  /** In order of preference. */
  endpoints: readonly E[]
  limits: FailOverLimits
  timer?: Timer
  isBehind?(endpoint: E): boolean
  /** The same endpoint would fail again. */
  isFinal?(error: UpstreamError): boolean
}): FailOver<E> {
  let sticky: E | undefined
  // Restarted work must not begin where it failed.
  const preference = (endpoint: E) =>
    (isBehind(endpoint) ? 2 : 0) + (endpoint === sticky ? 0 : 1) + (endpoint.breaker.failedLately() ? 1 : 0)

  return async (work) => {
    const startedAt = performance.now()
    const tried = new Map<E, number>()
    let failure = noneOf(name, endpoints)
    await untilOneIsAsked(endpoints, totalMs, timer)
    for (let left = Math.min(endpoints.length + 1, MOST_ATTEMPTS); left > 0; left -= 1) {
      const endpoint = await chooseOrWait(endpoints, tried, preference)
      const isLate = performance.now() - startedAt > totalMs
      if (!endpoint || isLate || (tried.has(endpoint) && isFinal(failure))) break
      await pause(tried.get(endpoint) ?? 0, backoffMs, timer)
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

function noneOf(name: string, endpoints: readonly Endpoint[]): UpstreamError {
  const isPaused = endpoints.length > 0 && endpoints.every(({ breaker }) => breaker.pausedMs() > 0)
  if (isPaused) return new UpstreamError('rate-limited', `every endpoint of ${name} asks for fewer requests`)
  return new UpstreamError('unavailable', `no endpoint of ${name} can be asked at the moment`)
}

async function untilOneIsAsked(endpoints: readonly Endpoint[], totalMs: number, timer: Timer): Promise<void> {
  const pausedMs = Math.min(...endpoints.map(({ breaker }) => breaker.pausedMs()))
  if (pausedMs > 0 && pausedMs < totalMs) await timer.wait(pausedMs)
}

/** Cost: 4 per try, 2 for lagging, 1 for not being in use, 1 for a recent failure. The order decides ties. */
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

async function chooseOrWait<E extends Endpoint>(
  endpoints: readonly E[],
  tried: ReadonlyMap<E, number>,
  preference: (endpoint: E) => number,
): Promise<E | undefined> {
  for (;;) {
    const endpoint = choose(endpoints, tried, preference)
    const probes = endpoints.flatMap(({ breaker }) => breaker.probe() ?? [])
    if (endpoint || probes.length === 0) return endpoint
    await Promise.race(probes)
  }
}

/** Readers must not retry at the same moment. */
async function pause(times: number, backoffMs: number, timer: Timer): Promise<void> {
  if (times > 0) await timer.wait(Math.random() * backoffMs * 2 ** times)
}
