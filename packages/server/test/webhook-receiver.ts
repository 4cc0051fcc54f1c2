import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { serveLocally } from './local-server.ts'

export type Received = { path: string; headers: IncomingHttpHeaders; body: string }
type Answer = (received: Received, response: ServerResponse) => void

/** `answer` ends each response. */
export async function startReceiver(answer: Answer) {
  const received: Received[] = []
  const server = await serveLocally(async (request, response) => {
    const one = { path: request.url ?? '', headers: request.headers, body: await text(request) }
    received.push(one)
    answer(one, response)
  })
  return { ...server, received }
}
