import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

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
type Recorded = { method: string; path: string; body: Buffer; trip: number }

/** `distanceMs`: how much longer each answer takes than the node needs for it. */
export async function startRecorder(target: string, distanceMs: number): Promise<Recorder> {
  const agent = new Agent({ keepAlive: true })
  const clientAgent = new Agent({ keepAlive: true })
  let recorded: Recorded[] = []
  let marked: readonly Recorded[] | undefined
  let underWay = 0
  let most = 0
  let ended = 0

  type Passed = Omit<Recorded, 'trip'>
  const pass = (
    { method, path, body }: Passed,
    to: string,
    through: Agent,
  ): Promise<{ status: number; text: Buffer }> =>
    new Promise((resolve, reject) => {
      const headers = body.length > 0 && { 'content-type': 'application/json', 'content-length': body.length }
      const upstream = request(
        new URL(path, to),
        { method, agent: through, ...(headers && { headers }) },
        (response) => {
          const parts: Buffer[] = []
          response.on('data', (part: Buffer) => parts.push(part))
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts) }))
          response.on('error', reject)
        },
      )
      upstream.on('error', reject)
      upstream.end(body)
    })

  const server = createServer((incoming, response) => {
    const parts: Buffer[] = []
    incoming.on('data', (part: Buffer) => parts.push(part))
    incoming.on('end', () => {
      const { method = 'GET', url: path = '/' } = incoming
      const passed = { method, path, body: Buffer.concat(parts) }
      const trip = ended + 1
      if (!marked) recorded.push({ ...passed, trip })
      underWay += 1
      if (!marked) most = Math.max(most, underWay)
      wait(distanceMs)
        .then(() => pass(passed, target, agent))
        .then(({ status, text }) => {
          ended = Math.max(ended, trip)
          response.writeHead(status, { 'content-type': 'application/json', 'content-length': text.length })
          response.end(text)
        })
        .catch(() => response.destroy())
        .finally(() => {
          underWay -= 1
        })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function replay(requests: readonly Recorded[]): Promise<number> {
    const queue = [...requests]
    const startedAt = performance.now()
    const worker = async (): Promise<void> => {
      for (let next = queue.shift(); next; next = queue.shift()) await pass(next, url, clientAgent)
    }
    await Promise.all(Array.from({ length: most }, worker))
    return performance.now() - startedAt
  }

  return {
    url,
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
    async stop() {
      agent.destroy()
      clientAgent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function nameOf({ path, body }: Pick<Recorded, 'path' | 'body'>): { name: string; calls: number } {
  const json: unknown = body.length > 0 ? JSON.parse(body.toString('utf8')) : undefined
  const calls = (Array.isArray(json) ? json : [json]) as ({ method?: string } | undefined)[]
  const method = calls[0]?.method
  if (method !== undefined) return { name: method, calls: calls.length }
  return { name: path.replace(/(?<=[/=])(0x[\da-f]+|\d+)/g, '…'), calls: 1 }
}
