import type { Timer } from '../../lib/clock.ts'
import type { FailOver } from '../../lib/fail-over.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { RpcRefusal, RpcRequest } from './json-rpc.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'
import type { RpcPool } from './rpc-pool.ts'

const WAITS_MS = [2_100, 4_000, 8_000, 16_000]

type Run = FailOver<RpcEndpoint>

export function patientPool(pool: RpcPool): RpcPool {
  return {
    ...pool,
    session() {
      const session = pool.session()
      const patient = (endpoint: RpcEndpoint) => patientEndpoint(endpoint, session.hasFreeOther)
      const run: Run = (work) => runPatiently(session.run, pool.timer, (endpoint) => work(patient(endpoint)))
      return { ...session, run, request: (request) => run((endpoint) => endpoint.request(request)) }
    },
  }
}

async function runPatiently<T>(run: Run, timer: Timer, work: (endpoint: RpcEndpoint) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    let hasBegun = false
    try {
      return await run((endpoint) => {
        hasBegun = true
        return work(endpoint)
      })
    } catch (error) {
      const waitMs = hasBegun || !isResting(error) ? undefined : WAITS_MS[attempt]
      if (waitMs === undefined) throw error
      await timer.wait(waitMs)
    }
  }
}

const isResting = (error: unknown) => error instanceof UpstreamError && error.reason === 'rate-limited'

const patients = new WeakMap<RpcEndpoint, RpcEndpoint>()

/** Passes a rate limit on if another endpoint is free. */
export function patientEndpoint(endpoint: RpcEndpoint, hasFreeOther: (endpoint: RpcEndpoint) => boolean): RpcEndpoint {
  const known = patients.get(endpoint)
  if (known) return known
  const mayWait = (error: unknown) => isResting(error) && !endpoint.pace.isExhausted() && !hasFreeOther(endpoint)
  const patient: RpcEndpoint = {
    ...endpoint,
    request: (request) => patiently(mayWait, () => endpoint.request({ ...request, patient: true })),
    batch: (requests) => patientBatch(endpoint, mayWait, requests),
  }
  patients.set(endpoint, patient)
  patients.set(patient, patient)
  return patient
}

async function patiently<T>(mayWait: (error: unknown) => boolean, send: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await send()
    } catch (error) {
      if (!mayWait(error)) throw error
    }
  }
}

/** Some gateways count the calls of a batch. */
async function patientBatch<T>(
  endpoint: RpcEndpoint,
  mayWait: (error: unknown) => boolean,
  requests: readonly RpcRequest<T>[],
): Promise<(T | RpcRefusal)[]> {
  const patient = requests.map((request) => ({ ...request, patient: true as const }))
  for (let tries = 1; ; tries += 1) {
    try {
      return await endpoint.batch(patient)
    } catch (error) {
      if (!mayWait(error)) throw error
      if (tries > 1 && requests.length > 1) return await inHalves(endpoint, mayWait, requests)
    }
  }
}

async function inHalves<T>(
  endpoint: RpcEndpoint,
  mayWait: (error: unknown) => boolean,
  requests: readonly RpcRequest<T>[],
): Promise<(T | RpcRefusal)[]> {
  const half = Math.ceil(requests.length / 2)
  // A rate limit refuses no batches as such.
  endpoint.capabilities.batchSize = Math.min(endpoint.capabilities.batchSize, Math.max(2, half))
  const first = await patientBatch(endpoint, mayWait, requests.slice(0, half))
  return [...first, ...(await patientBatch(endpoint, mayWait, requests.slice(half)))]
}
