import type { Timer } from '../../lib/clock.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { patientEndpoint } from './patient-endpoint.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'
import type { RpcPool } from './rpc-pool.ts'

const WAITS_MS = [2_100, 4_000, 8_000, 16_000]

type Run = ReturnType<RpcPool['session']>['run']

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

function isResting(error: unknown): boolean {
  return error instanceof UpstreamError && error.reason === 'rate-limited'
}
