import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

type Asked = { method: string; path: string; body: unknown }
type Answer = { status?: number; headers?: Record<string, string>; body: unknown }

/** Answers 404 to unscripted paths. */
export type BeaconServer = {
  url: string
  /** In order. */
  asked: Asked[]
  /** `undefined`: 404. Texts are sent unchanged. */
  answer: (asked: Asked) => Answer | undefined
  stop(): Promise<void>
}

export function recorded(name: string): { data: never } {
  return JSON.parse(readFileSync(new URL(`recorded/${name}.json`, import.meta.url), 'utf8')) as { data: never }
}

const NOT_FOUND: Answer = { status: 404, body: { code: 404, message: 'Not found' } }

export async function startBeaconServer(answer: BeaconServer['answer'] = () => undefined): Promise<BeaconServer> {
  const beacon: BeaconServer = { url: '', asked: [], answer, stop }
  const server = createServer(async (request, response) => {
    const asked = { method: request.method ?? '', path: request.url ?? '', body: await bodyOf(request) }
    beacon.asked.push(asked)
    const { status = 200, headers, body } = beacon.answer(asked) ?? NOT_FOUND
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  beacon.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function stop(): Promise<void> {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return beacon
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const part of request) text += part
  return text === '' ? undefined : JSON.parse(text)
}

/** Paths include the query. */
export function byPath(answers: Readonly<Record<string, unknown>>): BeaconServer['answer'] {
  return ({ path }) => (path in answers ? { body: answers[path] } : undefined)
}
