import { type Clock, systemClock } from '../lib/clock.ts'
import { createFailOver, type FailOver, type FailOverLimits } from '../lib/fail-over.ts'
import { type BeaconEvent, type BeaconNode, createBeaconNode, type NodeLimits } from './beacon-node.ts'
import { type BeaconRequest, NoHistory } from './beacon-request.ts'

export type BeaconPool = ReturnType<typeof createBeaconPool>

type Limits = NodeLimits & FailOverLimits

const limitsByDefault: Limits = { timeoutMs: 5_000, pastTimeoutMs: 60_000, totalMs: 120_000, backoffMs: 100 }

export function createBeaconPool({
  urls,
  clock = systemClock,
  observe,
  limits: chosen,
}: {
  urls: readonly string[]
  clock?: Clock
  observe?: (event: BeaconEvent) => void
  limits?: Partial<Limits>
}) {
  const limits = { ...limitsByDefault, ...chosen }
  const endpoints = urls.map((url, i) => createBeaconNode(`beacon#${i + 1}`, url, limits, clock, observe))
  /** Stays on the node that answered first. */
  const session = (): FailOver<BeaconNode> =>
    createFailOver({
      name: 'the beacon chain',
      endpoints,
      limits,
      isFinal: (error) => error.reason === 'not-allowed' || error instanceof NoHistory,
    })
  /** Restarts the work at the next node on `UpstreamError`. */
  const run: FailOver<BeaconNode> = (work) => session()(work)
  const request = <T>(wanted: BeaconRequest<T>): Promise<T> => run((node) => node.request(wanted))
  return { session, run, request }
}
