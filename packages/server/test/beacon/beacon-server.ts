import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { type LocalServer, serveLocally } from '../local-server.ts'

type Asked = { method: string; path: string; body: unknown }
type Answer = { status?: number; headers?: Record<string, string>; body: unknown }

/** Answers 404 to unscripted paths. */
export type BeaconServer = LocalServer & {
  /** In order. */
  asked: Asked[]
  /** `undefined`: 404. Texts are sent unchanged. */
  answer: (asked: Asked) => Answer | undefined
}

export function recorded(name: string): { data: never } {
  return JSON.parse(readFileSync(new URL(`recorded/${name}.json`, import.meta.url), 'utf8')) as { data: never }
}

const NOT_FOUND: Answer = { status: 404, body: { code: 404, message: 'Not found' } }

export async function startBeaconServer(answer: BeaconServer['answer'] = () => undefined): Promise<BeaconServer> {
  const server = await serveLocally(async (request, response) => {
    const asked = { method: request.method ?? '', path: request.url ?? '', body: bodyOf(await text(request)) }
    beacon.asked.push(asked)
    const { status = 200, headers, body } = beacon.answer(asked) ?? NOT_FOUND
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  const beacon: BeaconServer = { ...server, asked: [], answer }
  return beacon
}

const bodyOf = (text: string): unknown => (text === '' ? undefined : JSON.parse(text))

/** Paths include the query. */
export function byPath(answers: Readonly<Record<string, unknown>>): BeaconServer['answer'] {
  return ({ path }) => (path in answers ? { body: answers[path] } : undefined)
}
