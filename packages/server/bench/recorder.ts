import { methodsIn, type Passed, startDistantNode } from './distant-node.ts'

export type Recorder = {
  url: string
  /** Ends the recording that is counted and replayed. */
  mark(): void
  /** By the method of a request's first call, or its path without numbers. */
  counts(): [string, { requests: number; calls: number }][]
  concurrency(): number
  /** Milliseconds for the same requests with equal concurrency. Does not process answers. */
  replay(): Promise<number>
  /** A request sent after other answers waits for them again. */
  replayInTrips(): Promise<number>
  reset(): void
  stop(): Promise<void>
}

/** `trip`: one more than that of the last request answered before. */
type Recorded = Passed & { trip: number }

/** `distanceMs`: added to each answer. */
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
