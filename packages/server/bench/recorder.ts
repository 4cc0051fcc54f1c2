import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** A proxy before a node that keeps what was asked, to ask it again. */
export type Recorder = {
  url: string
  /** What was asked until now is what counts and is sent again. */
  mark(): void
  /** Requests and calls by the method of a request's first call. */
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
type Recorded = { body: Buffer; trip: number }

/** `distanceMs`: how much longer each answer takes than the node needs for it. */
export async function startRecorder(target: string, distanceMs: number): Promise<Recorder> {
  const agent = new Agent({ keepAlive: true })
  const clientAgent = new Agent({ keepAlive: true })
  let recorded: Recorded[] = []
  let marked: readonly Recorded[] | undefined
  let underWay = 0
  let most = 0
  let ended = 0

  const pass = (body: Buffer, to: string, through: Agent): Promise<{ status: number; text: Buffer }> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': body.length }
      const upstream = request(to, { method: 'POST', agent: through, headers }, (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts) }))
        response.on('error', reject)
      })
      upstream.on('error', reject)
      upstream.end(body)
    })

  const server = createServer((incoming, response) => {
    const parts: Buffer[] = []
    incoming.on('data', (part: Buffer) => parts.push(part))
    incoming.on('end', () => {
      const body = Buffer.concat(parts)
      const trip = ended + 1
      if (!marked) recorded.push({ body, trip })
      underWay += 1
      if (!marked) most = Math.max(most, underWay)
      wait(distanceMs)
        .then(() => pass(body, target, agent))
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
      for (let next = queue.shift(); next; next = queue.shift()) await pass(next.body, url, clientAgent)
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
      for (const { body } of marked ?? recorded) {
        const json = JSON.parse(body.toString('utf8')) as { method: string } | { method: string }[]
        const calls = Array.isArray(json) ? json : [json]
        const method = calls[0]?.method ?? ''
        const known = byMethod.get(method) ?? { requests: 0, calls: 0 }
        byMethod.set(method, { requests: known.requests + 1, calls: known.calls + calls.length })
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
