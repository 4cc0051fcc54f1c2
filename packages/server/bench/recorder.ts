import { methodsIn, type Passed, startDistantNode } from './distant-node.ts'

/** A proxy before a node that keeps what was asked, to ask it again. */
export type Recorder = {
  url: string
  /** What was asked until now is what counts and is sent again. */
  mark(): void
  /** Requests and calls by the method of a request's first call; without one by the path, its numbers left out. */
  counts(): [string, { requests: number; calls: number }][]
  /** Most requests that were under way at once. */
  concurrency(): number
  /** Milliseconds that the same requests take, as many at a time, through the same proxy. Nothing is done about the answers. */
  replay(): Promise<number>
  /** As `replay`, but a request that was sent after others had been answered waits for them again. */
  replayInTrips(): Promise<number>
  /** Forgets what was asked. */
  reset(): void
  stop(): Promise<void>
}

/** `trip`: one more than that of the last request that had been answered before. */
type Recorded = Passed & { trip: number }

/** `distanceMs`: how much longer each answer takes than the node needs for it. */
export async function startRecorder(target: string, distanceMs: number): Promise<Recorder> {
  let recorded: Recorded[] = []
  let marked: readonly Recorded[] | undefined
  let underWay = 0
  let most = 0
  let ended = 0

  const node = await startDistantNode(target, distanceMs, (passed) => {
    const trip = ended + 1
    if (!marked) recorded.push({ ...passed, trip })
    underWay += 1
    if (!marked) most = Math.max(most, underWay)
    return (answer) => {
      if (answer) ended = Math.max(ended, trip)
      underWay -= 1
    }
  })

  async function replay(requests: readonly Recorded[]): Promise<number> {
    const queue = [...requests]
    const startedAt = performance.now()
    const worker = async (): Promise<void> => {
      for (let next = queue.shift(); next; next = queue.shift()) await node.send(next)
    }
    await Promise.all(Array.from({ length: most }, worker))
    return performance.now() - startedAt
  }

  return {
    url: node.url,
    mark() {
      marked = [...recorded]
    },
    reset() {
      recorded = []
      marked = undefined
      most = 0
      ended = 0
    },
    counts() {
      const byMethod = new Map<string, { requests: number; calls: number }>()
      for (const each of marked ?? recorded) {
        const { name, calls } = nameOf(each)
        const known = byMethod.get(name) ?? { requests: 0, calls: 0 }
        byMethod.set(name, { requests: known.requests + 1, calls: known.calls + calls })
      }
      return [...byMethod]
    },
    concurrency: () => most,
    replay: () => replay(marked ?? recorded),
    async replayInTrips() {
      const trips = [...Map.groupBy(marked ?? recorded, ({ trip }) => trip).values()]
      let ms = 0
      for (const trip of trips) ms += await replay(trip)
      return ms
    },
    stop: node.stop,
  }
}

function nameOf({ path, body }: Pick<Recorded, 'path' | 'body'>): { name: string; calls: number } {
  const methods = methodsIn(body)
  const [method] = methods
  if (method !== undefined) return { name: method, calls: methods.length }
  return { name: path.replace(/(?<=[/=])(0x[\da-f]+|\d+)/g, '…'), calls: 1 }
}
