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
  stop(): Promise<void>
}

/** `distanceMs`: how much longer each answer takes than the node needs for it. */
export async function startRecorder(target: string, distanceMs: number): Promise<Recorder> {
  const agent = new Agent({ keepAlive: true })
  const clientAgent = new Agent({ keepAlive: true })
  const bodies: Buffer[] = []
  let marked: Buffer[] | undefined
  let underWay = 0
  let most = 0

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
      if (!marked) bodies.push(body)
      underWay += 1
      if (!marked) most = Math.max(most, underWay)
      wait(distanceMs)
        .then(() => pass(body, target, agent))
        .then(({ status, text }) => {
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

  return {
    url,
    mark() {
      marked = [...bodies]
    },
    counts() {
      const byMethod = new Map<string, { requests: number; calls: number }>()
      for (const body of marked ?? bodies) {
        const json = JSON.parse(body.toString('utf8')) as { method: string } | { method: string }[]
        const calls = Array.isArray(json) ? json : [json]
        const method = calls[0]?.method ?? ''
        const known = byMethod.get(method) ?? { requests: 0, calls: 0 }
        byMethod.set(method, { requests: known.requests + 1, calls: known.calls + calls.length })
      }
      return [...byMethod]
    },
    concurrency: () => most,
    async replay() {
      const queue = [...(marked ?? bodies)]
      const startedAt = performance.now()
      const worker = async (): Promise<void> => {
        for (let body = queue.shift(); body; body = queue.shift()) await pass(body, url, clientAgent)
      }
      await Promise.all(Array.from({ length: most }, worker))
      return performance.now() - startedAt
    },
    async stop() {
      agent.destroy()
      clientAgent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
