import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

export type Passed = { method: string; path: string; body: Buffer }
type Answer = { status: number; text: Buffer }

export type DistantNode = {
  url: string
  send(passed: Passed): Promise<Answer>
  stop(): Promise<void>
}

/** Calls `seen` with each request, then its result with the answer, or without one if the node gave none. */
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

/** `undefined` for entries that are not calls. */
export function methodsIn(body: Buffer): (string | undefined)[] {
  const json: unknown = body.length > 0 ? JSON.parse(body.toString('utf8')) : undefined
  const calls = (Array.isArray(json) ? json : [json]) as ({ method?: string } | undefined)[]
  return calls.map((call) => call?.method)
}
