import { type Clock, systemClock } from '../lib/clock.ts'
import { createFailOver, type FailOver, type FailOverLimits } from '../lib/fail-over.ts'
import { type BeaconEvent, type BeaconNode, createBeaconNode, type NodeLimits } from './beacon-node.ts'
import { type BeaconRequest, NoHistory } from './beacon-request.ts'

/** The beacon nodes: health, time limits, fail-over. */
export type BeaconPool = {
  request<T>(request: BeaconRequest<T>): Promise<T>
  /** Work of several calls that must come from one node. On `UpstreamError` it starts again at the next one. */
  run: FailOver<BeaconNode>
  /** As `run`, for a series of work: stays on the node that answered first. */
  session(): FailOver<BeaconNode>
}

type Limits = NodeLimits & FailOverLimits

const limitsByDefault: Limits = { timeoutMs: 5_000, pastTimeoutMs: 60_000, totalMs: 120_000, backoffMs: 100 }

export function createBeaconPool({
  urls,
  clock = systemClock,
  observe,
  limits: chosen,
}: {
  /** In the order of preference. */
  urls: readonly string[]
  clock?: Clock
  observe?: (event: BeaconEvent) => void
  limits?: Partial<Limits>
}): BeaconPool {
  const limits = { ...limitsByDefault, ...chosen }
  const endpoints = urls.map((url, i) => createBeaconNode({ label: `beacon#${i + 1}`, url, clock, limits, observe }))
  const session = () =>
    createFailOver({
      name: 'the beacon chain',
      endpoints,
      limits,
      isFinal: (error) => error.reason === 'not-allowed' || error instanceof NoHistory,
    })
  return { session, run: (work) => session()(work), request: (request) => session()((node) => node.request(request)) }
}
