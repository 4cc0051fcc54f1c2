import { Agent, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { serveLocally } from '../test/local-server.ts'

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
  const server = await serveLocally(async (incoming, response) => {
    const { method = 'GET', url: path = '/' } = incoming
    const passed = { method, path, body: await buffer(incoming) }
    const answered = seen(passed)
    await wait(distanceMs)
    try {
      const answer = await pass(passed, target, agent)
      answered(answer)
      const headers = { 'content-type': 'application/json', 'content-length': answer.text.length }
      response.writeHead(answer.status, headers).end(answer.text)
    } catch {
      answered()
      response.destroy()
    }
  })
  return {
    url: server.url,
    send: (passed) => pass(passed, server.url, clientAgent),
    async stop() {
      agent.destroy()
      clientAgent.destroy()
      await server.stop()
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
