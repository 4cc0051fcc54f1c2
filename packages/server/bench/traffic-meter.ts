import { methodsIn, startDistantNode } from './distant-node.ts'

/** Bytes of bodies only. `trips`: longest chain of requests that each started after the previous one ended. */
export type Traffic = { requests: number; calls: number; bytesUp: number; bytesDown: number; trips: number }

export type TrafficMeter = {
  url: string
  /** Since the last `reset`. */
  traffic(): Traffic
  underWay(): number
  reset(): void
  stop(): Promise<void>
}

const NOTHING: Traffic = { requests: 0, calls: 0, bytesUp: 0, bytesDown: 0, trips: 0 }

/** `distanceMs`: added to each answer. */
export async function startTrafficMeter(target: string, distanceMs: number): Promise<TrafficMeter> {
  let passed = { ...NOTHING }
  let underWay = 0
  let ended = 0
  const node = await startDistantNode(target, distanceMs, ({ body }) => {
    passed.requests += 1
    passed.calls += methodsIn(body).length
    passed.bytesUp += body.length
    underWay += 1
    const trip = ended + 1
    passed.trips = Math.max(passed.trips, trip)
    return (answer) => {
      ended = Math.max(ended, trip)
      passed.bytesDown += answer?.text.length ?? 0
      underWay -= 1
    }
  })
  return {
    url: node.url,
    traffic: () => ({ ...passed }),
    underWay: () => underWay,
    reset() {
      passed = { ...NOTHING }
      ended = 0
    },
    stop: node.stop,
  }
}
