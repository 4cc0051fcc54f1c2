import { type Clock, systemClock } from '../lib/clock.ts'
import { createFailOver, type FailOver, type FailOverLimits } from '../lib/fail-over.ts'
import { type BeaconEvent, type BeaconNode, createBeaconNode, type NodeLimits } from './beacon-node.ts'
import { type BeaconRequest, NoHistory } from './beacon-request.ts'

export type BeaconPool = ReturnType<typeof createBeaconPool>

type Limits = NodeLimits & FailOverLimits

const limitsByDefault: Limits = { timeoutMs: 5_000, pastTimeoutMs: 60_000, totalMs: 120_000, backoffMs: 100 }

/** The beacon nodes: health, time limits, fail-over. */
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
}) {
  const limits = { ...limitsByDefault, ...chosen }
  const endpoints = urls.map((url, i) => createBeaconNode({ label: `beacon#${i + 1}`, url, clock, limits, observe }))
  /** As `run`, for a series of work: stays on the node that answered first. */
  const session = (): FailOver<BeaconNode> =>
    createFailOver({
      name: 'the beacon chain',
      endpoints,
      limits,
      isFinal: (error) => error.reason === 'not-allowed' || error instanceof NoHistory,
    })
  /** Work of several calls that must come from one node. On `UpstreamError` it starts again at the next one. */
  const run: FailOver<BeaconNode> = (work) => session()(work)
  const request = <T>(wanted: BeaconRequest<T>): Promise<T> => run((node) => node.request(wanted))
  return { session, run, request }
}
