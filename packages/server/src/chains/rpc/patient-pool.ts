import { setTimeout as wait } from 'node:timers/promises'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { RpcPool } from './rpc-pool.ts'

/** The first is as long as an endpoint rests that asked for fewer requests without saying for how long. */
const WAITS_MS = [2_100, 4_000, 8_000, 16_000]
/** An endpoint that rests is not asked, and then nobody says why any more. */
const RESTING_MS = 60_000

/**
 * The pool for work in the background: where every endpoint asks for fewer requests it waits and goes on. What is in the
 * middle of its work shares the knowledge of that.
 */
export function patientPool(pool: RpcPool): RpcPool {
  let limitedAt = Number.NEGATIVE_INFINITY

  function mayPass(error: unknown): boolean {
    if (!(error instanceof UpstreamError)) return false
    if (error.reason === 'rate-limited') limitedAt = performance.now()
    return error.reason === 'rate-limited' || (error.reason === 'unavailable' && isResting())
  }
  const isResting = () => performance.now() - limitedAt < RESTING_MS

  return {
    ...pool,
    session() {
      const session = pool.session()
      const run: typeof session.run = async (work) => {
        for (const waitMs of WAITS_MS) {
          try {
            return await session.run(work)
          } catch (error) {
            if (!mayPass(error)) throw error
            await wait(waitMs)
          }
        }
        return await session.run(work)
      }
      return { ...session, run, request: (request) => run((endpoint) => endpoint.request(request)) }
    },
  }
}
