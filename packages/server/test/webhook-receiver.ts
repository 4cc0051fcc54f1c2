import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = { path: string; headers: IncomingHttpHeaders; body: string }
type Answer = (received: Received, response: ServerResponse) => void

/** `answer` ends each response. */
export async function startReceiver(answer: Answer) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const one = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts).toString() }
    received.push(one)
    answer(one, response)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.on('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async stop(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
