import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** A request as it was received. */
export type Passed = { method: string; path: string; body: Buffer }
type Answer = { status: number; text: Buffer }

/** A proxy before a node, to which each request takes longer. */
export type DistantNode = {
  url: string
  /** Sends a request through the proxy. */
  send(passed: Passed): Promise<Answer>
  stop(): Promise<void>
}

/**
 * Each answer takes `distanceMs` longer than the node needs for it. `seen` is called with each request; the function that it
 * returns is called with the answer before that leaves, and without one if the node gave none.
 */
export async function startDistantNode(
  target: string,
  distanceMs: number,
  seen: (passed: Passed) => (answer?: Answer) => void,
): Promise<DistantNode> {
  const agent = new Agent({ keepAlive: true })
  const clientAgent = new Agent({ keepAlive: true })
  const server = createServer((incoming, response) => {
    const parts: Buffer[] = []
    incoming.on('data', (part: Buffer) => parts.push(part))
    incoming.on('end', () => {
      const { method = 'GET', url: path = '/' } = incoming
      const passed = { method, path, body: Buffer.concat(parts) }
      const answered = seen(passed)
      wait(distanceMs)
        .then(() => pass(passed, target, agent))
        .then((answer) => {
          answered(answer)
          const headers = { 'content-type': 'application/json', 'content-length': answer.text.length }
          response.writeHead(answer.status, headers).end(answer.text)
        })
        .catch(() => {
          answered()
          response.destroy()
        })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    send: (passed) => pass(passed, url, clientAgent),
    async stop() {
      agent.destroy()
      clientAgent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function pass({ method, path, body }: Passed, to: string, through: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = body.length > 0 && { 'content-type': 'application/json', 'content-length': body.length }
    const upstream = request(new URL(path, to), { method, agent: through, ...(headers && { headers }) }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts) }))
      response.on('error', reject)
    })
    upstream.on('error', reject)
    upstream.end(body)
  })
}

/** Methods of the JSON-RPC calls in a body; what is no call has none. */
export function methodsIn(body: Buffer): (string | undefined)[] {
  const json: unknown = body.length > 0 ? JSON.parse(body.toString('utf8')) : undefined
  const calls = (Array.isArray(json) ? json : [json]) as ({ method?: string } | undefined)[]
  return calls.map((call) => call?.method)
}
